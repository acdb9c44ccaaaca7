"""The process that outlives us: one keeper per agent, and our side of it.

Lives here: the program that keeps (program/), reading what it wrote (journal.py), starting it and talking to
it (attach.py), finding it (reaching.py), clearing up after one that was killed (sweep.py).
Lives elsewhere: what the lines mean (agents/wire.py), which agents to keep (runtime/supervisor.py).
"""
