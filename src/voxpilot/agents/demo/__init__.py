"""The demo agent: a complete ACP agent, small enough to read, that needs no model and no network.

It shows everything a coding agent does, on a small sample project. If you are writing an agent, read the
modules from the top level down:

    tour.py              what happens in a turn, in order
    turn.py              what an agent can do during a turn: speak, plan, use tools, ask
    protocol/updates.py  the messages for each of these
    protocol/client.py   what an agent may request from its client
    agent.py             the methods a client may call
    protocol/peer.py     JSON-RPC, one message per line
    protocol/stdio.py    reading and writing lines

The rest: session.py and store.py (stored sessions), choices.py (models,
modes, commands), replies.py (the short answers), voices.py (the texts), sample.py
(the sample project), command.py (running a program), files.py (writing a file).

Start it with `voxpilot demo-agent`, or with `python -m voxpilot.agents.demo`.
VOXPILOT_DEMO_SPEED multiplies each of its pauses (0: none), and VOXPILOT_DEMO_HOME
is the folder it keeps its sessions in.
"""
