"""The summary of a conversation that an agent gets: after a lost session, or when a chat is mentioned."""

from __future__ import annotations

from typing import Any, cast

from voxpilot.chat.shapes import Block
from voxpilot.chat.summary import LENGTH, in_words, summarize


def blocks(*parts: dict[str, Any]) -> list[Block]:
    return [cast("Block", {"pos": pos, "at": 0.0, **part}) for pos, part in enumerate(parts)]


def message(text: str, **more: Any) -> dict[str, Any]:
    return {"kind": "message", "id": f"m-{text[:9]}", "role": "user", "text": text, **more}


def text(said: str, **more: Any) -> dict[str, Any]:
    return {"kind": "text", "message_id": said[:9], "text": said, **more}


def tool(**more: Any) -> dict[str, Any]:
    usual = {"id": "c-1", "title": "", "tool_kind": "other", "status": "completed"}
    return {"kind": "tool", "locations": [], "content": [], **usual, **more}


def diff(path: str) -> dict[str, Any]:
    return {"type": "diff", "path": path, "newText": "x"}


def test_it_says_what_was_asked_and_done_and_which_files_changed() -> None:
    """R66: the note after a lost session summarises the task."""
    summary = summarize(
        blocks(
            message("Fix the parser", attachments=[{"type": "file", "path": "src/parser.py"}]),
            tool(tool_kind="edit", content=[diff("/w/src/parser.py")]),
            tool(id="c-2", tool_kind="execute", input={"command": ["make", "test"]}, status="failed"),
            tool(id="c-3", tool_kind="read", locations=[{"path": "/w/README.md"}]),
            tool(id="c-4", tool_kind="edit", status="failed", content=[diff("/w/never.py")]),
            {"kind": "plan", "entries": [{"content": "Add a test", "priority": "low", "status": "pending"}]},
            text("The parser accepts tabs now."),
            {"kind": "turn", "since": 0.0, "stop_reason": "interrupted"},
        )
    )
    words = in_words(summary)
    assert summary.asked == ("Fix the parser\n[Attached: src/parser.py]",)
    assert summary.files == ("/w/src/parser.py",)
    assert "- make test (failed)" in words
    assert "- Add a test (pending)" in words
    assert "- The parser accepts tabs now." in words
    assert words.endswith("The last turn ended with: interrupted.")


def test_delegated_tasks_are_summarised_apart_from_the_rest_of_the_chat() -> None:
    """R66: also for an agent that works for the assistant."""
    chat = blocks(
        message("Tidy up"),
        tool(id="c-1", name="copilot_agent", input={"prompt": "Rename the module"}),
        tool(id="t-1", tool_kind="edit", content=[diff("/w/a.py")], tool_call_id="c-1"),
        text("Renamed.", tool_call_id="c-1"),
        tool(id="c-2", name="copilot_agent", input={"prompt": "Write the docs"}),
        tool(id="t-1", tool_kind="edit", content=[diff("/w/docs.md")], tool_call_id="c-2"),
        text("Done, all of it."),
    )
    delegated = summarize(chat, calls={"c-1"})
    assert (delegated.asked, delegated.answered) == (("Rename the module",), ("Renamed.",))
    assert delegated.files == ("/w/a.py",)
    whole = summarize(chat)
    assert (whole.asked, whole.answered) == (("Tidy up",), ("Done, all of it.",))
    assert whole.files == ("/w/a.py", "/w/docs.md")


def test_it_keeps_the_first_request_and_the_newest_ones() -> None:
    summary = summarize(blocks(*(message(f"request {n}") for n in range(40))))
    assert summary.asked[0] == "request 0"
    assert summary.asked[-1] == "request 39"
    assert len(summary.asked) == 6


def test_it_is_never_longer_than_its_limit() -> None:
    long = "word " * 20_000
    chat = blocks(
        *(message(long) for _ in range(50)),
        *(tool(id=f"c-{n}", tool_kind="edit", content=[diff(f"/{n}/{long}")]) for n in range(500)),
        *(text(long) for _ in range(50)),
    )
    for most in (LENGTH, 1_000, 100):
        assert 0 < len(in_words(summarize(chat), most)) <= most
    assert "and 4" in in_words(summarize(chat))


def test_a_chat_in_which_nothing_happened_has_no_words() -> None:
    assert in_words(summarize([])) == ""
