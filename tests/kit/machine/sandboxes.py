"""Sandboxes of both kinds for tests, in which the tests' interpreter is visible.

Lives here: creating one by hand. Lives elsewhere: how the server creates them
(agents/installed/sandboxing.py).
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest

from voxpilot.keeper.sandbox.available import available
from voxpilot.keeper.sandbox.prepare import Sandbox, prepare
from voxpilot.keeper.sandbox.view import Wanted

in_every_sandbox = pytest.mark.parametrize("sandbox", ["off", "bwrap", "landlock"], indirect=True)
"""For a promise that holds with and without a sandbox."""
in_bubblewrap_too = pytest.mark.parametrize("sandbox", ["off", "bwrap"], indirect=True)


def sandbox_for(
    place: Path,
    kind: str,
    level: Literal["standard", "strict"] = "standard",
    network: bool = True,
    **wanted: Any,
) -> Sandbox:
    """A sandbox in which everything in `place` may be written to."""
    home = place / "home"
    home.mkdir(exist_ok=True)
    fields = {"home": str(home), "roots": (str(place),), **wanted}
    fields["readable"] = (sys.prefix, sys.base_prefix, *fields.get("readable", ()))
    found = available()
    if kind == "landlock":
        found = replace(found, bwrap=None)
    assert found.kind == kind, f"{kind} cannot be used here: {found}"
    return prepare(Wanted(level=level, network=network, **fields), found)


def sandbox_fields(sandbox: Sandbox) -> dict[str, Any]:
    """As it is passed to a keeper."""
    return {"kind": sandbox.kind, "argv": sandbox.argv, "env": dict(sandbox.env)}
