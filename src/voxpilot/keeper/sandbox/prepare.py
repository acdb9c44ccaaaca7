"""From what a program may see to the command that runs it that way.

Lives here: choosing the kind of sandbox, and building the command. Lives elsewhere: what it sees (view.py),
running it (../program/).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from voxpilot.errors import Conflict
from voxpilot.keeper.program import landlock
from voxpilot.keeper.sandbox import available, bubblewrap, grants
from voxpilot.keeper.sandbox.available import Available, Kind
from voxpilot.keeper.sandbox.bubblewrap import ENVIRONMENT, FOLDER, TEMPORARY
from voxpilot.keeper.sandbox.view import Wanted, view_of
from voxpilot.values import dataclass


@dataclass(frozen=True, slots=True)
class Sandbox:
    kind: Kind
    argv: tuple[str, ...]
    """Goes before a program and its arguments, with placeholders for its folder and temporary files."""
    env: Mapping[str, str]
    """On top of the program's own."""

    def command(self, argv: Sequence[str], cwd: str, temporary: str) -> list[str]:
        """Runs with the program's variables, which must therefore come from the person."""
        places = {FOLDER: cwd, TEMPORARY: temporary, ENVIRONMENT: landlock.OURS}
        ours = [part for part in self.argv if self.kind == "landlock" or part not in ("--args", ENVIRONMENT)]
        return [*(_filled(part, places) for part in ours), *argv]

    def environment(self, env: Mapping[str, str], temporary: str) -> dict[str, str]:
        return {**env, **{name: value.replace(TEMPORARY, temporary) for name, value in self.env.items()}}


def prepare(wanted: Wanted, found: Available | None = None) -> Sandbox:
    """Blocks: it reads the disk, and the first time tries which sandboxes work. Raises Conflict."""
    found = found or available.available()
    if found.kind == "bwrap" and found.bwrap:
        options = bubblewrap.arguments(view_of(wanted), wanted.network)
        return Sandbox("bwrap", (*available.before(found.bwrap, found.abi), found.bwrap, *options), {})
    if found.kind == "landlock":
        if not wanted.network:
            raise Conflict(
                "blocking its network requires bubblewrap",
                "Install bubblewrap, or set sandbox_network to true for this agent.",
            )
        given = json.dumps(grants.rules(view_of(wanted), wanted.level == "strict"))
        return Sandbox("landlock", (*available.HELPER, given, ENVIRONMENT), {"TMPDIR": TEMPORARY})
    raise Conflict(f"this machine does not support a sandbox ({_why(found)})", available.how_to_get_it(found))


def _why(found: Available) -> str:
    kernel = f"Landlock {found.abi} is too old" if found.abi else "the kernel has no Landlock"
    return f"bubblewrap: {found.problem}; {kernel}"


def _filled(part: str, places: Mapping[str, str]) -> str:
    """A path may contain braces, so only whole words are placeholders; rules are one word."""
    if part in places:
        return places[part]
    return (
        part.replace(f'"{TEMPORARY}"', json.dumps(places[TEMPORARY])) if part.startswith('{"read"') else part
    )
