"""The scripted agent: a real ACP v1 agent whose prompt text is its script.

    python -I -S scripted_agent.py [--fault NAME[=VALUE]]... [--log PATH] [--store DIR] ...

Lives here: the way in, kept short because Python does not cache the file it is started with.
Lives elsewhere: the command line (scripted/options.py), what it can be told to do (scripted/directives.py),
how it can misbehave (scripted/faults.py), the protocol (scripted/agent.py).
"""

import os
import sys

# Isolated mode leaves everything of ours off the path.
sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from tests.fakes.scripted.agent import main

if __name__ == "__main__":
    main(sys.argv[1:])
