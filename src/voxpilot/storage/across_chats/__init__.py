"""What is stored once for all chats: devices, trusted folders, approved commands, settings, answers."""
