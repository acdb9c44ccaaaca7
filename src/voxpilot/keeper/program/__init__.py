"""The keeper: a small process that owns one agent, records everything it prints, and outlives the server.

Run as `python -I -S program DIR`, with the spec (attach.KeeperSpec as one JSON object) on stdin, so that
secrets in the agent's environment never touch a disk. The foreground process exits with 0 once the journal
exists and the socket listens; with 3: the directory has a keeper, 4: it had one before, 5: the spec is
invalid, 1: anything else.

Lives here, in reading order: starting (launch.py, spec.py, home.py), the loop and how it ends
(keeper.py), the agent's lines (lines.py) and processes (processes.py, tcp.py), commands run for it
(commands/terminals.py), the journal (segments.py), the control socket (peers.py).
Lives elsewhere: reading the journal (../journal.py) and what commands print (../output.py), our side of the
socket (../attach.py), ending the processes of a keeper that was itself killed (../sweep.py).

There is one of these per running agent, so it imports the standard library only, and little of that: no
asyncio, no threads, not even `typing`.
"""
