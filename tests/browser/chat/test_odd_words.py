"""Words from an agent that are also JavaScript names are just data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from playwright.async_api import expect

from tests.browser.conftest import Meet
from tests.fakes.script import request, say, script, update
from tests.kit.clients.client import Api

WORDS = ("constructor", "__proto__", "toString", "hasOwnProperty", "valueOf", "prototype", "then", "length")


def updates(word: str) -> Iterator[str]:
    """The word in every place where an agent may use one."""
    for number, status in enumerate(("completed", word)):
        call = {"toolCallId": f"{word}-{number}", "title": f"title of {word}", "kind": word, "status": status}
        yield update({"sessionUpdate": "tool_call", **call, "name": word, "rawInput": {word: {word: word}}})
    yield update({"sessionUpdate": "tool_call", "toolCallId": word, "title": word, "kind": "edit"})
    yield update({"sessionUpdate": "tool_call_update", "toolCallId": word, "status": "failed", "kind": word})
    yield update({"sessionUpdate": "plan", "entries": [{"content": word, "status": word, "priority": word}]})
    yield update({"sessionUpdate": word, word: word})
    yield update({"sessionUpdate": "usage_update", "used": 1, "size": 2, word: 3})
    commands = [{"name": word, "description": word, "input": {"hint": word}}]
    yield update({"sessionUpdate": "available_commands_update", "availableCommands": commands})
    yield update(
        {"sessionUpdate": "agent_message_chunk", "messageId": word, "content": {"type": word, "uri": word}}
    )


def permission(word: str) -> str:
    options = [
        {"optionId": word, "name": word, "kind": word},
        {"optionId": "no", "name": "No", "kind": "reject_once"},
    ]
    call = {"toolCallId": f"asked-{word}", "title": word, "kind": word, "rawInput": {word: word}}
    return request("session/request_permission", {"toolCall": call, "options": options})


def form(*words: str) -> str:
    fields: dict[str, Any] = {word: {"type": "string", "title": word, "format": word} for word in words}
    schema = {"type": "object", "properties": fields, "required": list(words)}
    return request("elicitation/create", {"mode": "form", "message": "Fill in", "requestedSchema": schema})


async def test_a_word_that_every_object_knows_is_shown_and_breaks_nothing(
    meet: Meet, api: Api, chat: str
) -> None:
    tab = await (await meet()).open_chat(chat)
    steps = [step for word in WORDS for step in updates(word)]
    await api.prompt(chat, script(*steps, *map(permission, WORDS[:2]), form(*WORDS), say("the end")))
    for _ in WORDS[:2]:
        await tab.answer("Reject")
    for word in WORDS:
        await tab.find("block-question").get_by_label(word, exact=True).fill(f"my {word}")
    await tab.answer("Send answer")
    await tab.turns_end()
    await expect(tab.page.get_by_text("the end", exact=False).last).to_be_visible()
    await expect(tab.page.get_by_text("could not be displayed")).to_have_count(0)
    reloaded = await (await meet("phone")).open_chat(chat)
    await expect(reloaded.page.get_by_text("the end", exact=False).last).to_be_visible()
    for word in WORDS:
        await expect(reloaded.page.get_by_text(word).first).to_be_attached()
