"""A language model that follows its user's script exactly: a real HTTP server for tests.

    python -m tests.fakes.llm --log calls.jsonl        prints its address

It speaks OpenAI chat completions, OpenAI responses and Anthropic messages. Its replies are in the user's
message, see script.py.
"""
