"""Turns and the tasks they are made of."""
