"""Every screen at both sizes and in both themes: nothing sticks out or is cut off, and all text is readable.

VOXPILOT_SCREENSHOTS=FOLDER saves a screenshot of each.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from playwright.async_api import Locator, expect

from tests.browser.conftest import Meet
from tests.browser.person import Person, Tab
from tests.browser.screens.looking import flaws_of
from tests.conftest import StartServer
from tests.fakes.script import (
    ask,
    die,
    diff,
    plan,
    request,
    say,
    script,
    think,
    title,
    tool,
    tool_update,
    update,
    usage,
    wait_file,
)
from tests.kit.clients.client import Api
from tests.kit.peers.llm import ScriptedLlm, scripted_llm
from tests.kit.servers.config import scripted
from tests.kit.servers.server import ServerProcess

Sign = Callable[[Tab], Locator]
Act = Callable[[Tab], Awaitable[None]]
KEPT = os.environ.get("VOXPILOT_SCREENSHOTS")

SIZES = {"laptop": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}
THEMES = ("light", "dark")
SECTIONS = {
    "agents": "[data-testid=agent-card]",
    "assistant": "[data-testid=model-form]",
    "permissions": "input",
    "skills": "#skills-folder",
    "instructions": "[data-testid=instructions-form]",
    "appearance": "input",
    "devices": "[data-testid=device]",
}
"""Parts of the settings, and what shows that a part is there."""
SPOKEN = """## What I found

The parser reads `12 %` as **twelve**, so every discount is too large.

| file | lines | what |
|---|---|---|
| `src/prices/parse_percentages_of_discounts.py` | 12–48 | wrong unit |
| `tests/test_parse.py` | 3 | missing case |

```python
def percent(text: str) -> float:
    return float(text.rstrip(" %")) / 100  # a rather long line of code that does not fit a phone's width
```

1. fix it, 2. add a test, 3. run all tests. See [the docs](https://example.com/docs).
"""
FORM = {
    "mode": "form",
    "message": "How should I name the release?",
    "requestedSchema": {
        "type": "object",
        "properties": {
            "name": {"type": "string", "title": "Name", "minLength": 1},
            "kind": {"type": "string", "title": "Kind", "enum": ["major", "minor", "patch"]},
            "tag": {"type": "boolean", "title": "Make a tag"},
        },
        "required": ["name"],
    },
}
RUNS = {
    "sessionUpdate": "tool_call",
    "toolCallId": "run-1",
    "title": "npm test -- --reporter=verbose --coverage",
    "kind": "execute",
    "status": "in_progress",
    "content": [{"type": "terminal", "terminalId": "$terminalId"}],
}

HELD = wait_file("never")
WORKED = script(
    title("Fix the discounts"),
    think("The figures are a hundred times too large. That smells of percent read as a plain number."),
    plan("Find the cause", "Fix it", "Test it"),
    tool("read-1", "read", "Read src/prices/parse_percentages_of_discounts.py"),
    tool_update("read-1", "completed"),
    diff("edit-1", "src/prices/parse_percentages_of_discounts.py"),
    tool_update("edit-1", "completed"),
    say(SPOKEN),
    usage(48_000, 200_000),
)


@dataclass(frozen=True)
class Scene:
    """A chat in a certain state, and the element that shows it."""

    prompts: tuple[str, ...]
    sign: Sign
    act: Act | None = None
    agent: str = "scripted"
    mode: str = "agent"
    permissions: str = "ask"


def delegated(work: str, name: str) -> str:
    return f"copilot_agent {json.dumps({'prompt': work, 'session_name': name})}"


async def open_panel(tab: Tab) -> None:
    details = tab.page.get_by_text("Details", exact=True).first
    if not await details.is_visible():
        await tab.page.get_by_role("button", name="More").click()
        await tab.page.get_by_role("menuitem", name="Plan and changes").click()
    await details.wait_for()


async def open_status(tab: Tab) -> None:
    await tab.find("agent-status").click()
    await tab.find("agent-details").wait_for()


async def open_palette(tab: Tab) -> None:
    await tab.page.keyboard.press("Control+k")
    await tab.page.get_by_role("combobox", name="Search chats and commands").wait_for()


async def open_edit(tab: Tab) -> None:
    await tab.page.get_by_text("Read 1 file").first.click()
    await tab.find("block-tool").last.locator("summary, button").first.click()


async def shows_the_newest_lines(tab: Tab) -> None:
    await tab.page.wait_for_function(
        "(box => box.scrollTop > 0 && box.scrollHeight - box.scrollTop - box.clientHeight < 5)"
        "(document.querySelector('.terminal-text'))"
    )


async def shows_where_it_is(tab: Tab) -> None:
    await expect(tab.page.locator(".tab[aria-current=page]")).to_be_in_viewport(ratio=0.9)


async def open_editor(tab: Tab) -> None:
    await tab.page.get_by_role("button", name="Edit scripted", exact=True).click()
    await tab.find("agent-editor").wait_for()


async def try_demo(tab: Tab) -> None:
    await tab.page.get_by_role("button", name="Test Demo").click()
    await tab.page.locator("[data-testid=agent-check][data-ok=true]").wait_for()


async def make_link(tab: Tab) -> None:
    await tab.page.get_by_role("button", name="Create link").click()
    await tab.find("new-link").wait_for()


async def to_the_end(tab: Tab) -> None:
    await tab.page.locator(".agent").last.scroll_into_view_if_needed()


def by_selector(selector: str, tab: Tab) -> Locator:
    return tab.page.locator(selector)


def ended(tab: Tab) -> Locator:
    return tab.find("turn-footer")


def asked(tab: Tab) -> Locator:
    return tab.page.locator("[data-testid=block-question][data-armed=true]")


SCENES = {
    "answer": Scene((WORKED,), ended),
    "opened": Scene((WORKED,), ended, open_edit),
    "panel": Scene((WORKED,), ended, open_panel),
    "status": Scene((WORKED,), ended, open_status),
    "palette": Scene((WORKED,), ended, open_palette),
    "asking": Scene(
        (
            script(
                say("I need to change it."),
                diff("e", "src/prices/parse.py"),
                ask("e", "Edit src/prices/parse.py"),
            ),
        ),
        asked,
    ),
    "form": Scene((script(say("A question."), request("elicitation/create", FORM)),), asked),
    "signing-in": Scene((script(say("hi")),), asked, agent="signs"),
    "working": Scene(
        (
            script(
                request("terminal/create", {"command": "seq 1 30; sleep 600"}),
                update(RUNS),
                say("It runs."),
                HELD,
            ),
            "And then fix the documentation, please, all of it, including the part about phones",
            "Then stop",
        ),
        lambda tab: tab.find("terminal"),
        shows_the_newest_lines,
        permissions="auto",
    ),
    "may-run": Scene((script(request("terminal/create", {"command": "npm test -- --coverage"})),), asked),
    "failed": Scene(
        (script(say("Half a sen"), die()),), lambda tab: tab.page.get_by_role("group", name="Error")
    ),
    "delegating": Scene(
        (
            f"call {delegated(script(say('Looking at it.'), diff('d', 'src/a.py'), HELD), 'auth-bug-fix')}\n"
            f"also call {delegated(script(say('Done.')), 'docs')}\nsay Both are done.",
        ),
        lambda tab: tab.find("copilot-block").nth(1).get_by_text("done"),
        mode="llm",
    ),
}


@pytest.fixture
def llm(place: Path) -> Iterator[ScriptedLlm]:
    with scripted_llm(place / "llm.log") as running:
        yield running


@pytest.fixture
async def server(start_server: StartServer, place: Path, llm: ScriptedLlm) -> ServerProcess:
    table = {"provider": "compatible", "model": "fake-model", "base_url": llm.openai, "api_key": "k"}
    return await start_server(
        agents={"signs": scripted("auth-on-new", options=["--signed-in-file", str(place / "signed-in")])},
        settings={"assistant": table},
        env={"VOXPILOT_DEMO_HOME": str(place / "demo")},
    )


class Album:
    """The same screen seen by everybody."""

    def __init__(self, people: list[Person]) -> None:
        self.people = people
        self.flaws: list[str] = []
        self.tabs: dict[str, Tab] = {}

    async def see(self, name: str, path: str, sign: Sign, act: Act | None = None) -> None:
        """Go to a path, wait until it is complete, act, and check it."""

        async def look(person: Person) -> None:
            tab = self.tabs.get(person.name) or await person.open(path)
            if person.name in self.tabs:
                await tab.page.goto(person.url + path)
            self.tabs[person.name] = tab
            await sign(tab).first.wait_for()
            if act is not None:
                await act(tab)
            self.flaws += [f"{name} for {person.name}: {flaw}" for flaw in await flaws_of(tab)]
            if KEPT:
                await tab.page.screenshot(path=Path(KEPT) / f"{name}-{person.name}.png")

        await asyncio.gather(*map(look, self.people))


@pytest.mark.timeout(400)
async def test_every_screen_is_whole_at_both_sizes_in_both_themes(
    meet: Meet, api: Api, workspace: Path, place: Path
) -> None:
    kinds = [(size, theme) for theme in THEMES for size in SIZES]
    strangers, guests = [
        Album(
            [
                await meet(
                    f"{size}-{theme}",
                    signed_in,
                    viewport=SIZES[size],
                    color_scheme=theme,
                    has_touch=size == "phone",
                )
                for size, theme in kinds
            ]
        )
        for signed_in in (False, True)
    ]
    for person in strangers.people:
        person.expect_trouble("status of 401")
    await strangers.see("sign-in", "/", lambda tab: tab.page.get_by_role("textbox", name="Link or code"))
    await strangers.see("expired", "/#code=used", lambda tab: tab.page.get_by_role("alert"))
    await guests.see("welcome", "/", lambda tab: tab.page.get_by_role("button", name="Try the demo"))
    await guests.see("new-chat", "/new", lambda tab: tab.composer)
    for section, sign in SECTIONS.items():
        await guests.see(
            f"settings-{section}",
            f"/settings/{section}",
            partial(by_selector, sign),
            shows_where_it_is,
        )
    await guests.see(
        "agent-editor", "/settings/agents", partial(by_selector, SECTIONS["agents"]), open_editor
    )
    await guests.see("agent-tested", "/settings/agents", partial(by_selector, SECTIONS["agents"]), try_demo)
    await guests.see("new-link", "/settings/devices", partial(by_selector, SECTIONS["devices"]), make_link)
    await guests.see("agents-missing", "/", partial(by_selector, ".agent"), to_the_end)
    await guests.see("missing", "/nowhere", lambda tab: tab.page.get_by_role("link"))

    chats = {name: await begin(api, workspace, name) for name in SCENES}
    for name, chat in chats.items():
        scene = SCENES[name]
        await guests.see(name, f"/chat/{chat}", scene.sign, scene.act)
    await guests.see("history", "/history/scripted", lambda tab: tab.find("past-session"))
    await guests.see("list", "/", lambda tab: tab.page.get_by_text("Needs you"))
    flaws = strangers.flaws + guests.flaws
    assert not flaws, "\n".join(flaws)


async def begin(api: Api, workspace: Path, name: str) -> str:
    scene = SCENES[name]
    folder = workspace / name
    folder.mkdir()
    agent = scene.agent if scene.mode == "agent" else None
    chat = str((await api.create_chat(folder, agent, mode=scene.mode))["id"])
    await api.change_chat(chat, permissions=scene.permissions)
    for text in scene.prompts:
        await api.prompt(chat, text)
    return chat
