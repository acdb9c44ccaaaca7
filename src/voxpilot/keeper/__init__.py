"""The process that outlives the server: one keeper per agent, and the server's side of it.

Lives here: the program that keeps (program/), reading what it wrote (journal.py), starting it and talking to
it (attach.py), finding it (reaching.py), cleaning up after one that was killed (sweep.py).
Lives elsewhere: what the lines mean (agents/wire/frames.py), which agents to keep (runtime/supervisor.py).
"""
