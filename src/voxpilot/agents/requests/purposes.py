"""What each request of the protocol is for, in our words.

Lives here: the table of methods. Everything above `agents/` looks at a request's purpose,
never at its method. Lives elsewhere: the purposes (storage/database/request_rows.py).
"""

from __future__ import annotations

from collections.abc import Mapping

from voxpilot.storage.database.request_rows import Purpose

SET_MODEL = "session/set_model"
"""Not part of the stable protocol."""
PURPOSES: Mapping[str, Purpose] = {
    "initialize": Purpose.START,
    "authenticate": Purpose.SIGN_IN,
    "session/new": Purpose.OPEN,
    "session/list": Purpose.LOOK_UP,
    "session/load": Purpose.LOAD,
    "session/resume": Purpose.RESUME,
    "session/prompt": Purpose.PROMPT,
    "session/set_config_option": Purpose.CHOOSE,
    "session/set_mode": Purpose.CHOOSE,
    SET_MODEL: Purpose.CHOOSE,
    "session/close": Purpose.CLOSE,
    "session/request_permission": Purpose.PERMISSION,
    "elicitation/create": Purpose.FORM,
    "fs/read_text_file": Purpose.READ_FILE,
    "fs/write_text_file": Purpose.WRITE_FILE,
    "terminal/create": Purpose.RUN_COMMAND,
    "terminal/output": Purpose.COMMAND_OUTPUT,
    "terminal/wait_for_exit": Purpose.WAIT_FOR_COMMAND,
    "terminal/kill": Purpose.KILL_COMMAND,
    "terminal/release": Purpose.RELEASE_COMMAND,
}

CALLBACKS = frozenset(
    {
        Purpose.READ_FILE,
        Purpose.WRITE_FILE,
        Purpose.RUN_COMMAND,
        Purpose.COMMAND_OUTPUT,
        Purpose.WAIT_FOR_COMMAND,
        Purpose.KILL_COMMAND,
        Purpose.RELEASE_COMMAND,
    }
)
"""Requests of an agent that we carry out on this machine."""
OPENS_SESSION = frozenset({Purpose.OPEN, Purpose.LOAD, Purpose.RESUME})
OPENING = OPENS_SESSION | {Purpose.LOOK_UP}
"""Requests whose answer a prompt waits for."""


def purpose_of(method: str) -> Purpose:
    return PURPOSES.get(method, Purpose.OTHER)
