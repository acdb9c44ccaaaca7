"""The fold: what a chat looks like after its events, however they were split."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from voxpilot.chat.events import Json
from voxpilot.chat.transcript import Transcript, fold
from voxpilot.storage.chats.event_log import Recorded, join_deltas

Events = list[tuple[str, Json]]
A_TURN: Events = [
    ("chat-info", {"title": "t", "agent": "a", "workspace": "/w", "mode": "agent", "policy": "ask"}),
    ("message", {"id": "m1", "role": "user", "text": "go", "attachments": [], "queued": True}),
    ("turn-started", {"turn": "t1", "by": "agent", "message_id": "m1", "agent": "a", "session_name": "main"}),
    ("thought-delta", {"turn": "t1", "message_id": "s-1", "content": "hm"}),
    ("text-delta", {"turn": "t1", "message_id": "s-2", "content": "one "}),
    ("text-delta", {"turn": "t1", "message_id": "s-2", "content": "two"}),
    ("tool-call", {"turn": "t1", "id": "c1", "title": "Edit", "tool_kind": "edit", "status": "pending"}),
    ("tool-update", {"turn": "t1", "id": "c1", "status": "completed", "content": [{"type": "diff"}]}),
    ("plan", {"turn": "t1", "entries": [{"content": "x"}]}),
    ("plan", {"turn": "t1", "entries": [{"content": "y"}]}),
    ("question", {"turn": "t1", "id": "q1", "type": "permission", "title": "?", "detail": {}, "options": []}),
    ("answer", {"turn": "t1", "question_id": "q1", "outcome": "allow_once", "by": "person"}),
    ("notice", {"turn": "t1", "level": "info", "code": "stopping", "text": "Stopping."}),
    ("turn-ended", {"turn": "t1", "stop_reason": "end_turn"}),
]


def numbered(events: Events, first: int = 1) -> Events:
    return [(kind, {"seq": n, "at": float(n), **body}) for n, (kind, body) in enumerate(events, first)]


def test_a_turn_folds_into_blocks_in_order() -> None:
    folded = fold(numbered(A_TURN))
    assert [block["kind"] for block in folded.blocks] == [
        "message", "thought", "text", "tool", "plan", "question", "turn",
    ]  # fmt: skip
    message, _, text, tool, plan, question, _ = folded.blocks
    assert (message["text"], message["turn"]) == ("go", "t1")
    assert text["text"] == "one two"
    assert (tool["status"], tool["title"], tool["content"]) == ("completed", "Edit", [{"type": "diff"}])
    assert plan["entries"] == [{"content": "y"}]
    assert question["answer"]["outcome"] == "allow_once"
    assert folded.head["turn"] is None
    assert folded.head["questions"] == []
    assert folded.head["queue"] == []


def test_an_event_that_was_seen_changes_nothing() -> None:
    events = numbered(A_TURN)
    folded = fold(events)
    before = json.dumps([folded.head, folded.blocks])
    for kind, body in events:
        folded.apply(kind, body)
    assert json.dumps([folded.head, folded.blocks]) == before


def test_the_same_call_id_in_a_later_turn_is_another_call() -> None:
    call = {"id": "c1", "title": "Edit", "tool_kind": "edit", "status": "completed"}
    folded = fold(numbered([("tool-call", {"turn": "t1", **call}), ("tool-call", {"turn": "t2", **call})]))
    assert [block["turn"] for block in folded.blocks] == ["t1", "t2"]


def test_an_edited_message_keeps_its_place_in_the_queue_and_a_removed_one_goes() -> None:
    def message(id: str, text: str, **more: Any) -> tuple[str, Json]:
        return ("message", {"id": id, "role": "user", "text": text, "queued": True, **more})

    events = [message("a", "1"), message("b", "2"), message("c", "3"), message("a", "one")]
    events.append(("message", {"id": "b", "role": "user", "text": "2", "removed": True}))
    folded = fold(numbered(events))
    assert [(m["id"], m["text"]) for m in folded.head["queue"]] == [("a", "one"), ("c", "3")]
    assert folded.blocks == []


def test_an_unknown_kind_is_kept_whole() -> None:
    folded = fold(numbered([("from-the-future", {"what": {"ever": 1}})]))
    assert folded.blocks[0]["raw"] == {"what": {"ever": 1}}


@given(st.lists(st.sampled_from(A_TURN), max_size=40), st.data())
def test_a_fold_that_was_kept_and_loaded_anywhere_goes_on_the_same(
    events: Events, data: st.DataObject
) -> None:
    events = numbered(events)
    cut = data.draw(st.integers(0, len(events)))
    whole = fold(events)
    first = fold(events[:cut])
    resumed = Transcript(json.loads(json.dumps(first.head)), json.loads(json.dumps(first.blocks)))
    for kind, body in events[cut:]:
        resumed.apply(kind, body)
    assert (resumed.head, resumed.blocks) == (whole.head, whole.blocks)


@given(st.lists(st.sampled_from(A_TURN), max_size=40))
def test_joined_deltas_fold_to_the_same(events: Events) -> None:
    events = numbered(events)
    recorded = [Recorded(body["seq"], kind, json.dumps(body).encode()) for kind, body in events]
    joined = [(event.kind, json.loads(event.body)) for event in join_deltas(recorded)]
    assert (fold(joined).head, fold(joined).blocks) == (fold(events).head, fold(events).blocks)
