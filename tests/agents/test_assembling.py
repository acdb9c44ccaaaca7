"""The content of a prompt for every combination of capabilities and every kind of attachment."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from voxpilot.agents.installed.capabilities import Abilities
from voxpilot.agents.requests.assembling import Assembled, assemble
from voxpilot.chat.gathered import GIVEN, Gathered

Json = dict[str, Any]
ABLE = [Abilities(image=i, audio=a, embedded=e) for i, a, e in product((False, True), repeat=3)]
PICTURE = {"type": "image", "mimeType": "image/png", "data": "AAAA"}
SOUND = {"type": "audio", "mimeType": "audio/wav", "data": "AAAA"}
TEXT = {"type": "resource", "resource": {"uri": "file:///notes.txt", "text": "Buy milk."}}
BINARY = {"type": "resource", "resource": {"uri": "file:///a.zip", "blob": "AAAA"}}
LINK = {"type": "resource_link", "uri": "https://a.example/plan", "name": "plan"}
WORDS = {"type": "text", "text": "more"}
QUOTE = {"type": "quote", "text": "one\ntwo", "source": "https://a.example"}
FILE = {"type": "file", "path": "src/a.py"}
PART = {"type": "file", "path": "src/a.py", "lines": [2, 3]}
FOLDER = {"type": "folder", "path": "src"}
SHOT = {"type": "file", "path": "shot.png"}


def stored(name: str, mime: str | None = None, **more: Any) -> Json:
    typed = {"mime": mime} if mime else {}
    return {"kind": "file", "uri": f"file:///d/uploads/c/{name}", "bytes": 3, **typed, **more}


SOURCE = {"kind": "file", "uri": "file:///w/src/a.py", "bytes": 6, "text": "a\nb\nc\n"}
SOME = {**SOURCE, "text": "b\nc\n", "lines": [2, 3]}
LARGE = {"kind": "file", "uri": "file:///w/src/a.py", "bytes": 900_000}
LARGE_PART = {**LARGE, "lines": [2, 3]}
BELOW = {"kind": "file", "uri": "file:///w/src/", "bytes": 0, "text": "a.py", "is_folder": True}
SHOWN = {"kind": "file", "uri": "file:///w/shot.png", "mime": "image/png", "bytes": 3, "data": "AAAA"}
NOISE = {"kind": "file", "uri": "file:///w/shot.wav", "mime": "audio/wav", "bytes": 3, "data": "AAAA"}
GONE = {"kind": "missing", "why": "It does not exist."}

TABLE: list[tuple[str, Json, Json, dict[str, str], str]] = [
    # what, as attached, as found, the block if the agent has this capability, the block otherwise
    ("a picture", PICTURE, stored("i.png", "image/png"), {"image": "image"}, "resource_link"),
    ("a sound", SOUND, stored("s.wav", "audio/wav"), {"audio": "audio"}, "resource_link"),
    ("a text file", TEXT, stored("notes.txt"), {"embedded": "resource"}, "text"),
    ("a large text file", TEXT, stored("notes.txt", is_large=True), {}, "resource_link"),
    ("a binary file", BINARY, stored("a.zip", "application/zip"), {"embedded": "resource"}, "resource_link"),
    ("a large binary file", BINARY, stored("a.zip", is_large=True), {}, "resource_link"),
    ("a picture without a place", PICTURE, GIVEN, {"image": "image"}, "text"),
    ("a sound without a place", SOUND, GIVEN, {"audio": "audio"}, "text"),
    ("a text file without a place", TEXT, GIVEN, {"embedded": "resource"}, "text"),
    ("a binary file without a place", BINARY, GIVEN, {"embedded": "resource"}, "text"),
    ("a link", LINK, GIVEN, {}, "resource_link"),
    ("a text", WORDS, GIVEN, {}, "text"),
    ("a quote", QUOTE, GIVEN, {}, "text"),
    ("a mentioned file", FILE, SOURCE, {"embedded": "resource"}, "text"),
    ("some lines of it", PART, SOME, {"embedded": "resource"}, "text"),
    ("a large file", FILE, LARGE, {}, "resource_link"),
    ("a folder", FOLDER, BELOW, {}, "resource_link"),
    ("a picture in the workspace", SHOT, SHOWN, {"image": "image"}, "resource_link"),
    ("a sound in the workspace", SHOT, NOISE, {"audio": "audio"}, "resource_link"),
    ("a missing file", FILE, GONE, {}, "text"),
    ("the changes", {"type": "diff"}, {"kind": "words", "text": "[Changes]"}, {}, "text"),
    ("another chat", {"type": "chat", "id": "c"}, {"kind": "words", "text": "[Chat]"}, {}, "text"),
    ("a reference that was never read", {"type": "diff"}, GIVEN, {}, "text"),
]


def one(attachment: Json, piece: Json, able: Abilities, text: str = "Look") -> Assembled:
    return assemble(text, [attachment], Gathered(pieces=(piece,)), able)


@pytest.mark.parametrize("able", ABLE, ids=lambda able: f"{able.image:d}{able.audio:d}{able.embedded:d}")
@pytest.mark.parametrize(
    ("what", "attachment", "piece", "if_able", "otherwise"), TABLE, ids=lambda x: str(x)[:30]
)
def test_each_kind_goes_in_the_best_form_the_agent_takes(
    what: str, attachment: Json, piece: Json, if_able: dict[str, str], otherwise: str, able: Abilities
) -> None:
    """R139, R140, R136, R137, R138: the capabilities decide."""
    wanted = next((kind for name, kind in if_able.items() if getattr(able, name)), otherwise)
    found = one(attachment, piece, able)
    assert found.blocks[0] == {"type": "text", "text": "Look"}
    assert [block["type"] for block in found.blocks[1:]] == [wanted], what
    refused = {"image": not able.image, "audio": not able.audio, "embedded": not able.embedded}
    for name, kind in (("image", "image"), ("audio", "audio"), ("embedded", "resource")):
        assert not (refused[name] and any(block["type"] == kind for block in found.blocks))


def test_a_file_keeps_its_real_address_and_its_lines() -> None:
    """R136: an agent can relate it to what it sees itself."""
    able = Abilities(embedded=True)
    assert one(FILE, SOURCE, able).blocks[1]["resource"] == {"uri": SOURCE["uri"], "text": SOURCE["text"]}
    assert one(PART, SOME, able).blocks[1]["resource"]["uri"] == "file:///w/src/a.py#L2-3"
    words = one(PART, SOME, Abilities()).blocks[1]["text"]
    assert words.startswith("[File: file:///w/src/a.py, lines 2–3]\nb\nc\n")
    assert one(FILE, LARGE, able).blocks[1] == {
        "type": "resource_link",
        "uri": "file:///w/src/a.py",
        "name": "a.py",
        "size": 900_000,
    }
    assert (
        "Lines 2–3 of a.py" in assemble("x", [PART], Gathered(pieces=(LARGE_PART,)), able).blocks[2]["text"]
    )
    assert one(PICTURE, stored("i.png"), Abilities(image=True)).blocks[1]["uri"].startswith("file:///d/")


def test_what_was_sent_is_told_with_its_form() -> None:
    """R151: for the message on the page."""
    found = assemble(
        "Look",
        [PART, FILE, SHOT, PICTURE, FOLDER, {"type": "file", "path": "no.txt"}],
        Gathered(pieces=(SOME, LARGE, SHOWN, stored("my%20photo.png"), BELOW, GONE)),
        Abilities(image=True, embedded=True),
    )
    assert found.files == [
        {"path": "src/a.py", "how": "embedded", "bytes": 6, "lines": [2, 3]},
        {"path": "src/a.py", "how": "linked", "bytes": 900_000},
        {"path": "shot.png", "how": "image", "bytes": 3},
        {"path": "my photo.png", "how": "image", "bytes": 3},
        {"path": "src", "how": "linked", "bytes": 0},
    ]
    assert found.left_out == [{"what": "no.txt", "why": "It does not exist."}]
    assert "no.txt could not be sent along: It does not exist." in found.blocks[-1]["text"]


def test_a_quote_is_text_with_its_source() -> None:
    """R138: a selection from a web page."""
    assert one(QUOTE, GIVEN, Abilities()).blocks[1]["text"] == (
        "[Quoted from https://a.example]\n> one\n> two"
    )
    assert one({"type": "quote", "text": "one"}, GIVEN, Abilities()).blocks[1]["text"] == "[Quoted]\n> one"


def test_thirty_attachments_keep_their_order() -> None:
    """R139: each next to its own piece."""
    attachments = [{"type": "file", "path": f"f{n}"} for n in range(30)]
    pieces = tuple({**SOURCE, "uri": f"file:///w/f{n}"} for n in range(30))
    found = assemble("", attachments, Gathered(pieces=pieces), Abilities(embedded=True))
    assert [block["resource"]["uri"] for block in found.blocks] == [f"file:///w/f{n}" for n in range(30)]


SKILL = {
    "id": "workspace/a.md",
    "name": "A",
    "path": "/w/copilot-skills/a.md",
    "why": "always",
    "text": "Do it.",
}


def test_skills_come_last_and_instructions_first() -> None:
    """R144, R145, R147, R133: but nothing comes before a command of the agent."""
    gathered = Gathered(
        index="Skills in /w/copilot-skills:\n- A (a.md)",
        indexed=1,
        full=(SKILL,),
        instructions=({"source": "personal", "text": "Be brief."},),
    )
    for text, order in (("Look", ["Be brief.", "Look"]), ("/plan it", ["/plan it", "Be brief."])):
        words = [block["text"] for block in assemble(text, [WORDS], gathered, Abilities()).blocks]
        assert [order[n] in words[n] for n in range(2)] == [True, True]
        assert words[2] == "more"
        assert "/w/copilot-skills" in words[3]
        assert "Do it." in words[4]


def test_with_nothing_along_the_prompt_is_the_message() -> None:
    """R134, R135: and without text only what is attached."""
    assert assemble("Look", [], Gathered(), Abilities()).blocks == [{"type": "text", "text": "Look"}]
    assert assemble(" \n", [WORDS], Gathered(), Abilities()).blocks == [WORDS]
