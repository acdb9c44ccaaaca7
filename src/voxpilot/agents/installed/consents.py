"""What people have agreed to, in all chats: commands of agents, tool servers, folders to trust.

Lives here: the one place in memory that holds it. It changes only after the database has it. Lives elsewhere:
the rows (storage/across_chats/), asking (runtime/processes/command_approval.py, runtime/processes/trust.py),
what counts as the same command (approved_commands.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.rows import AgreedCommand, TrustedFolder


class Consents:
    """Other threads may read it: a change replaces the mappings with new ones."""

    def __init__(self) -> None:
        self.commands: Mapping[str, AgreedCommand] = MappingProxyType({})
        """How each agent was last started with a person's consent, by its id."""
        self.folders: tuple[TrustedFolder, ...] = ()
        """Folders that somebody trusted in a chat."""
        self.on_change: list[Callable[[], None]] = []
        """Called when something was added: other chats may be asking the same question."""

    def stored(self, rows: Iterable[AgreedCommand | TrustedFolder]) -> None:
        """These are in the database now."""
        rows = list(rows)
        for row in rows:
            if isinstance(row, AgreedCommand):
                self.commands = MappingProxyType({**self.commands, row.agent: row})
            else:
                self.folders = (*self._others(row), row)
        for call in self.on_change if rows else ():
            call()

    def removed(self, folder: TrustedFolder) -> None:
        """It is no longer trusted, and the database has this already."""
        self.folders = self._others(folder)

    def take_from(self, ledger: Ledger) -> None:
        """After a commit: what people agreed to in its step applies to every chat."""
        given: list[AgreedCommand | TrustedFolder] = [*ledger.all(AgreedCommand), *ledger.all(TrustedFolder)]
        self.stored(given)
        for row in given:
            ledger.unlearn(row)  # another chat may have stored a newer one

    def folders_with(self, ledger: Ledger) -> tuple[TrustedFolder, ...]:
        """The trusted folders, including those of the ledger's current step."""
        return (*self.folders, *ledger.all(TrustedFolder))

    def _others(self, folder: TrustedFolder) -> tuple[TrustedFolder, ...]:
        return tuple(known for known in self.folders if known.path != folder.path)
