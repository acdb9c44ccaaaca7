"""The scripted agent: a real ACP v1 agent whose prompt text is its script.

    python -I -S scripted_agent.py [--fault NAME[=VALUE]]... [options]

Options:
    --log PATH [--no-log-out]    one JSON line for each frame received and sent
    --ids uuid                   its own request ids are strings and the id field comes last; else 0, 1, 2 ...
    --message-ids                chunks carry a messageId
    --agent-version V            the version it reports
    --models A,B                 the models that can be chosen, its default first
    --store DIR                  keeps sessions, so that it can list, load and resume them
    --forks                      and fork them
    --signed-in-file PATH        counts as signed in while the file exists
    --login                      does not serve, but signs in on the terminal

Faults:
    starting    exit-at-spawn, hang-init, slow-init=S, burn=S, version=V, caps-off
    signing in  auth-on-new, auth-on-prompt (both until signed in), auth-fail, auth-hang
    sessions    early-updates, slow-new=S, load-notfound, load-error, load-empty, replay=SIZE, replay-hang,
                no-load, no-resume, no-close, close-hang, old-options, refuse-options,
                late-options=FILE (a choice is answered once it exists)
    each turn   garbage, nondict, badid, future, bigline=MB, stderr=SIZE, flood=N, silent, empty,
                exit-mid[=N], late-chunks, no-ask, perm-burst=N, grandchildren (first turn only)
    ending      ignore-cancel, ignore-eof, ignore-term

Lives here: the entry point, kept short because Python does not cache the main file.
Lives elsewhere: what it can be told to do (scripted/directives.py), what faults add to a turn
(scripted/faults.py), the protocol (scripted/agent.py).
"""

import os
import sys

# Isolated mode removes our folders from the path.
sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from tests.fakes.scripted.agent import main

if __name__ == "__main__":
    main(sys.argv[1:])
