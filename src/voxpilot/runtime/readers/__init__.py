"""What readers of chats receive: snapshots, new events, changes of the list."""
