"""Whether a session that an agent restored is the one the chat knows.

Lives here: what can be compared without a copy of the agent's history: the person's last message in the
repeated history, the session's name, folder and options. Lives elsewhere: processing the repeated history
(replay.py), the notice (runtime/processes/session_restore.py).
"""

from __future__ import annotations

import os.path

from voxpilot.agents.updates.options import options_of
from voxpilot.chat.events import Json
from voxpilot.storage.database.rows import Session

SHOWN_LENGTH = 200


def compared(session: Session, rebuilt: Json, update: object) -> Json:
    """The state so far, after comparing one more update with the last message that was sent."""
    if not isinstance(update, dict) or not session.asked:
        return rebuilt
    text = _said_by_person(update)
    if text is None:
        return {**rebuilt, "answered": True} if rebuilt.get("known") else rebuilt
    if _is_same(text, session.asked):
        return {**rebuilt, "messages": True, "known": True, "answered": False, "further": None}
    if rebuilt.get("known") and rebuilt.get("answered") and not rebuilt.get("further"):
        rebuilt = {**rebuilt, "further": text[:SHOWN_LENGTH]}
    return {**rebuilt, "messages": True}


def differences(before: Session, after: Session, result: object) -> list[str]:
    """The differences, in words; `before` is the session as it was requested."""
    found: list[str] = []
    rebuilt = before.replay or {}
    if rebuilt.get("messages") and not rebuilt.get("known") and not before.cut:
        found.append("It does not contain the last message of this chat.")
    if rebuilt.get("further"):
        found.append(f"It contains messages that are not in this chat: {rebuilt['further']}")
    if other_name(before, result) is not None:
        found.append("The agent gave it another id.")
    return [*found, *_other_choices(before, after)]


def other_name(session: Session, result: object) -> str | None:
    """The id that the agent gave a session, if it is not the requested one."""
    given = result.get("sessionId") if isinstance(result, dict) else None
    return given if isinstance(given, str) and given and given != session.acp_session_id else None


def other_folder(session: Session, listed: list[Json]) -> str | None:
    """The session's folder according to the agent, if it is not the one it was opened in."""
    for entry in listed:
        folder = entry.get("cwd")
        if entry.get("sessionId") == session.acp_session_id and isinstance(folder, str) and session.cwd:
            return folder if os.path.normpath(folder) != os.path.normpath(session.cwd) else None
    return None


def _said_by_person(update: Json) -> str | None:
    content = update.get("content")
    if update.get("sessionUpdate") != "user_message_chunk" or not isinstance(content, dict):
        return None
    text = content.get("text")
    return text.strip() if isinstance(text, str) else ""


def _is_same(text: str, asked: str) -> bool:
    """Agents add to a message, and repeat it in pieces or in part."""
    asked = asked.strip()
    return asked in text or text in asked


def _other_choices(before: Session, after: Session) -> list[str]:
    """Modes and options that have changed; a model that a person chose is selected again."""
    were = {option["id"]: option for option in options_of(before.options or {})}
    found: list[str] = []
    for option in options_of(after.options or {}):
        was = were.get(option["id"])
        is_chosen_again = option["category"] == "model" and after.model is not None
        if was is None or was["current"] == option["current"] or is_chosen_again:
            continue
        found.append(f"{option['name'] or option['id']}: {_word(was)} → {_word(option)}")
    return found


def _word(option: Json) -> str:
    names = {choice["value"]: choice.get("name") for choice in option["choices"]}
    return str(names.get(option["current"]) or option["current"])
