"""What our fold shows of a conversation, in the oracle's format (trace_oracle.py)."""

from __future__ import annotations

from typing import Any

from tests.kit.oracles.trace_seen import Json, Seen, Turn


def shown(head: Any, blocks: Any) -> Seen:
    """Converts blocks and head, without what we add ourselves (notices, sign-in cards)."""
    seen = Seen(title=head.get("title"))
    turns: dict[str, Turn] = {}
    for block in blocks:
        turn = turns.get(block.get("turn", ""))
        if block["kind"] == "message":
            turns[block["turn"]] = Turn(block["text"])
            seen.turns.append(turns[block["turn"]])
        elif block["kind"] == "turn":
            assert turn is not None
            assert turn.stop is None, "a turn ends once"
            turn.stop = block["stop_reason"]
        elif (item := _item(block)) is not None:
            (turn.flow if turn is not None else seen.outside).append(item)
    seen.options = {name: [_option(option) for option in given] for name, given in head["options"].items()}
    seen.commands = dict(head["commands"])
    seen.usage = dict(head["usage"])
    return seen


def _item(block: Json) -> Json | None:
    match block["kind"]:
        case "text" | "thought" as kind:
            return {kind: block["text"]}
        case "tool":
            return {
                "tool": block["id"],
                "title": block["title"],
                "kind": block["tool_kind"],
                "status": block["status"],
                "locations": block["locations"],
                "content": block["content"],
                "input": block.get("input"),
                "output": block.get("output"),
            }
        case "terminal":
            code = block.get("exit", {}).get("exit_code")
            return {"terminal": block["terminal_id"], "printed": block["text"], "exit_code": code}
        case "plan":
            return {"plan": block["entries"]}
        case "question" if block["type"] in ("permission", "form", "url"):
            return {
                "question": {
                    "type": block["type"],
                    "title": block["title"],
                    "options": block["options"],
                    "tool": block["detail"].get("tool"),
                    "outcome": block["answer"]["outcome"] if "answer" in block else None,
                }
            }
        case "notice" if block["code"] == "agent-remark":
            return {"remark": block["text"]}
        case "unknown":
            return {"unknown": block["raw"]}
    return None


def _option(option: Json) -> Json:
    values = [choice["value"] for choice in option["choices"]]
    return {"id": option["id"], "current": option["current"], "values": values}
