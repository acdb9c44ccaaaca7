"""The demo agent: a whole ACP agent, small enough to read, that needs no model and no network.

It shows everything a coding agent does, on a little project of its own. If you
are writing an agent, read it from the story down to the wire:

    tour.py     what happens in a turn, in order
    turn.py     what an agent can do while a turn lasts: speak, plan, use tools, ask
    updates.py  how each of these looks on the wire
    client.py   what an agent may ask of its client
    agent.py    the methods a client may call
    peer.py     JSON-RPC, a line to a message
    stdio.py    the lines

Beside the road: session.py and store.py (what is remembered), choices.py (models,
modes, commands), replies.py (the shorter turns), voices.py (the words), sample.py
(the little project), command.py (running a program), files.py (writing a file).

Start it with `voxpilot demo-agent`, or with `python -m voxpilot.agents.demo`.
VOXPILOT_DEMO_SPEED multiplies each of its pauses (0: none), and VOXPILOT_DEMO_HOME
is the folder it keeps its sessions in.
"""
