"""Chats that are awake: turns, questions, and the one worker behind each chat."""
