"""The words around a handover: what the next one to answer in a chat is told about the part it has not seen.

Lives elsewhere: what it says and who gets it (runtime/turns/handover.py), sending it
(agents/requests/sessions.py for agents, runtime/assistant/model_runner.py for the assistant).
"""

from __future__ import annotations

LENGTH = 20_000
"""Characters that a person may write in it."""


def labelled(text: str) -> str:
    return (
        "[Handover from VoxPilot: until now, others have answered in this conversation. "
        f"A summary, which the user could read and edit:]\n{text}\n"
        "[End of the handover. The new message follows.]"
    )
