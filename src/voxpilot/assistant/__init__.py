"""The language model we call ourselves."""
