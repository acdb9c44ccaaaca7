"""The assistant's turns and its model requests."""
