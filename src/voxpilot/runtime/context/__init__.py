"""What goes along with a person's message: files and other things it mentions, skills, instructions."""
