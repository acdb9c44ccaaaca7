"""What agents ask us to do on this machine: files, terminals and commands."""
