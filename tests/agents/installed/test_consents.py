"""What people have agreed to takes effect only once it is stored."""

from __future__ import annotations

from voxpilot.agents.installed.consents import Consents
from voxpilot.chat.transcript import Transcript
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.rows import AgreedCommand, Chat, TrustedFolder

COMMAND = AgreedCommand(agent="a", fingerprint="f", shown="a --acp", at=1.0)
FOLDER = TrustedFolder(path="/work", at=1.0)


def new_ledger() -> Ledger:
    chat = Chat(
        id="c",
        title="",
        workspace="/work",
        mode="agent",
        agent="a",
        policy="ask",
        created_at=1.0,
        updated_at=1.0,
    )
    return Ledger(chat, Transcript())


def test_a_step_knows_what_it_agreed_to_and_other_chats_do_not() -> None:
    consents, ledger = Consents(), new_ledger()
    ledger.save(FOLDER)
    assert consents.folders_with(ledger) == (FOLDER,)
    assert consents.folders == ()


def test_what_is_stored_is_in_force_everywhere_and_no_longer_in_the_ledger() -> None:
    consents, ledger, calls = Consents(), new_ledger(), []
    consents.on_change.append(lambda: calls.append("changed"))
    ledger.save(COMMAND)
    ledger.save(FOLDER)
    ledger.take(2.0)
    ledger.committed()
    consents.take_from(ledger)
    assert (dict(consents.commands), consents.folders) == ({"a": COMMAND}, (FOLDER,))
    assert (ledger.all(AgreedCommand), ledger.all(TrustedFolder)) == ([], [])
    assert calls == ["changed"]
    consents.take_from(ledger)
    assert calls == ["changed"]


def test_a_folder_that_is_no_longer_trusted_is_gone() -> None:
    consents = Consents()
    other = TrustedFolder(path="/other", at=1.0)
    consents.stored([FOLDER, other])
    consents.removed(TrustedFolder(path="/work", at=5.0))
    assert consents.folders == (other,)


def test_a_later_consent_replaces_an_earlier_one() -> None:
    consents = Consents()
    before = consents.commands
    later = AgreedCommand(agent="a", fingerprint="g", shown="a --other", at=2.0)
    consents.stored([COMMAND])
    consents.stored([later])
    assert consents.commands["a"] == later
    assert before == {}, "a holder of the older mapping still sees it"
