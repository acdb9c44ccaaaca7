"""What a chat is: its events and the fold that turns them into what is shown. Pure; no input or output."""
