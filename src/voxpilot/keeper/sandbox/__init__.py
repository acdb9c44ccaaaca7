"""What an agent sees of this machine when it runs in a sandbox, and how that is enforced."""
