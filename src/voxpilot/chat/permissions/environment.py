"""Environment variables that a command may get without a person.

Lives here: the names that cannot change which program runs or what it loads. Lives elsewhere:
reading what agents send (agents/requests/callbacks.py).
"""

from __future__ import annotations

import string

from voxpilot.chat.permissions.shell import NotPlain

HARMLESS = frozenset(
    {
        "CI", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM", "COLORTERM", "COLUMNS",
        "LINES", "TZ", "LANG", "LANGUAGE", "NODE_ENV", "RAILS_ENV", "RACK_ENV", "APP_ENV", "MIX_ENV",
        "RUST_BACKTRACE", "RUST_LOG", "CARGO_TERM_COLOR", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE",
        "PYTHONIOENCODING", "PYTHONUTF8", "PYTHONHASHSEED", "PYTEST_DISABLE_PLUGIN_AUTOLOAD", "VERBOSE",
        "DEBUG", "DEBIAN_FRONTEND",
    }
)  # fmt: skip
LOCALES = frozenset(
    {
        "LC_ALL", "LC_CTYPE", "LC_COLLATE", "LC_MESSAGES", "LC_MONETARY", "LC_NUMERIC", "LC_TIME",
        "LC_PAPER", "LC_NAME",
    }
)  # fmt: skip
_PLAIN = frozenset(string.ascii_letters + string.digits + "_-.,:=+*@ ")
LONGEST_VALUE = 200


def check(variables: object) -> None:
    """NotPlain unless all variables are known to be harmless and have plain values."""
    if not isinstance(variables, dict):
        raise NotPlain("its environment variables have an unknown format")
    for name, value in variables.items():
        if name not in HARMLESS and name not in LOCALES:
            raise NotPlain(f"the variable {name[:60]} can change what programs do")
        if not isinstance(value, str) or len(value) > LONGEST_VALUE or not _PLAIN.issuperset(value):
            raise NotPlain(f"the value of {name} is unusual")
