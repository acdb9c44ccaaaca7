"""From HTTP to a function and back."""
