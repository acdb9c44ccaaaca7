"""What the assistant may do by itself: look."""
