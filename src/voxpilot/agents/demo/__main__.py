"""`python -m voxpilot.agents.demo` is `voxpilot demo-agent`."""

from voxpilot.agents.demo.agent import main

if __name__ == "__main__":
    main()
