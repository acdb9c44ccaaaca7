"""A language model that does what its user tells it, word for word: a real HTTP server for tests.

    python -m tests.fakes.llm --log calls.jsonl        prints its address

It speaks OpenAI chat completions, OpenAI responses and Anthropic messages. What it
replies stands in the user's message, see script.py.
"""
