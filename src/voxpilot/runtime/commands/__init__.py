"""What people do to a chat besides sending messages: create, edit, move, restart, choose."""
