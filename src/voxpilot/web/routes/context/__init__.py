"""Routes about what goes along with messages: skills, files to mention, instructions."""
