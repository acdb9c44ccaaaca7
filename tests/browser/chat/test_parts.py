"""The parts of a conversation on the page, each drawn by its kind, in order of arrival."""

from __future__ import annotations

from pathlib import Path

from playwright.async_api import Locator, expect

from tests.browser.conftest import Meet
from tests.browser.person import Tab
from tests.fakes.script import ask, escapes, say, script, think, tool_update, update, wait_file
from tests.kit.clients.client import Api
from tests.kit.peers.agent_log import AgentLog
from tests.kit.waiting import until


def call(id: str, kind: str, **more: object) -> str:
    known = {"sessionUpdate": "tool_call", "toolCallId": id, "title": id, "kind": kind, "status": "completed"}
    return update({**known, **more})


async def test_text_thoughts_calls_and_questions_stand_in_the_order_they_came(
    meet: Meet, api: Api, chat: str, workspace: Path
) -> None:
    """R104, R106, R107, R110, R111: each is a separate part: a diff, a place in a file, a question."""
    changed = {
        "type": "diff",
        "path": str(workspace / "a.py"),
        "oldText": "old line\n",
        "newText": "new line\n",
    }
    made = {"type": "diff", "path": str(workspace / "b.py"), "oldText": None, "newText": "first line\n"}
    place = {"path": str(workspace / "c.py"), "line": 12}
    tab = await (await meet("laptop")).open_chat(chat)
    await api.prompt(
        chat,
        script(
            think("Deep in thought."),
            say("Before."),
            call("edit-1", "edit", content=[changed, made]),
            say("Between."),
            call("read-1", "read", locations=[place]),
            ask("ask-1", "May I?"),
            say("After."),
            wait_file("go"),
        ),
    )
    await tab.answer("Allow")
    await expect(tab.texts).to_have_text(["Before.", "Between.", "answer:opt-allowAfter."])
    thought = tab.page.locator(".thought")
    await expect(thought.locator(".thought-text")).not_to_be_visible()
    await thought.locator("summary, button").first.click()
    await expect(thought.locator(".thought-text")).to_have_text("Deep in thought.")
    edit, read = tab.find("block-tool").nth(0), tab.find("block-tool").nth(1)
    await edit.locator("summary, button").first.click()
    for words in ("a.py", "old line", "new line", "b.py", "first line"):
        await expect(edit).to_contain_text(words)
    await read.locator("summary, button").first.click()
    await expect(read.get_by_role("list", name="Files")).to_contain_text("c.py:12")
    order = [
        thought,
        tab.texts.nth(0),
        edit,
        tab.texts.nth(1),
        read,
        tab.find("block-question"),
        tab.texts.nth(2),
    ]
    tops = [box["y"] for part in order if (box := await part.bounding_box())]
    assert len(tops) == len(order)
    assert tops == sorted(tops)
    (workspace / "go").touch()
    await tab.turns_end()


async def test_every_kind_of_call_has_its_sign_and_its_verb(meet: Meet, api: Api, chat: str) -> None:
    """R103: nine kinds, and an unknown one is shown like any other tool."""
    verbs = {
        "read": "Reading", "edit": "Editing", "delete": "Deleting", "move": "Moving", "search": "Searching",
        "execute": "Running", "think": "Thinking", "fetch": "Fetching", "other": "", "brand_new": "",
    }  # fmt: skip
    tab = await (await meet("laptop")).open_chat(chat)
    calls = [call(f"call-{kind}", kind, status="in_progress") for kind in verbs]
    await api.prompt(chat, script(*calls, wait_file("go")))
    blocks = tab.find("block-tool")
    await expect(blocks).to_have_count(len(verbs))
    signs = []
    for number, verb in enumerate(verbs.values()):
        line = blocks.nth(number)
        if verb:
            await expect(line.locator(".tool-verb")).to_have_text(verb)
        else:
            await expect(line.locator(".tool-verb")).to_have_count(0)
        signs.append(await line.locator("svg").first.inner_html())
    assert len(set(signs[:9])) == 9
    assert signs[9] == signs[8]
    await api.cancel(chat)
    await tab.turns_end()


def selector(tab: Tab, name: str) -> Locator:
    """Next to the message field; the panel has them too."""
    return tab.page.get_by_role("form", name="Message").get_by_role("combobox", name=name, exact=True)


async def test_what_can_be_chosen_is_offered_and_nothing_else(
    meet: Meet, api: Api, chat: str, workspace: Path, agent_log: AgentLog
) -> None:
    """R115, R118, R120: mode and model if the agent has them, and nothing if it does not."""
    person = await meet("laptop")
    tab = await person.open_chat(chat)
    await api.prompt(chat, script(say("hi")))
    await tab.turns_end()
    mode, model = selector(tab, "Mode"), selector(tab, "Model")
    await expect(mode).to_have_value("ask")
    await model.select_option("scripted-2")
    await until(lambda: len(agent_log.received("session/set_config_option")) == 1, 10)
    await expect(model).to_have_value("scripted-2")
    bare = await person.open_chat((await api.create_chat(workspace, "scripted-caps-off"))["id"])
    await bare.send(script(say("hi")))
    await bare.turns_end()
    await expect(selector(bare, "Mode")).to_have_count(0)
    await expect(selector(bare, "Model")).to_have_count(0)


async def test_the_status_says_how_the_agent_is(meet: Meet, api: Api, chat: str, workspace: Path) -> None:
    """R171: connected, busy, disconnected, error."""
    tab = await (await meet("laptop")).open_chat(chat)
    status = tab.find("agent-status")
    await tab.send(script(say("hi"), wait_file("go")))
    await expect(status).to_have_text("Working")
    (workspace / "go").touch()
    await expect(status).to_have_text("Connected")
    await tab.send("exit 3")
    await expect(status).to_have_text("Error")
    other = await api.create_chat(workspace)
    await tab.page.goto(tab.page.url.rpartition("/")[0] + "/" + other["id"])
    await expect(status).to_have_text("Not started")


async def test_output_loaded_whole_gives_way_to_what_comes_later(
    meet: Meet, api: Api, chat: str, workspace: Path
) -> None:
    tab = await (await meet("laptop")).open_chat(chat)
    newer = tool_update("long", "in_progress", "newer words")
    await api.prompt(chat, script(escapes("long", 0.3), wait_file("go"), newer, wait_file("end")))
    block = tab.find("block-tool").first
    await block.locator("summary").first.click()
    await block.get_by_role("button", name="Load all").click()
    await expect(block.get_by_role("button", name="Load all")).to_have_count(0)
    (workspace / "go").touch()
    await expect(block).to_contain_text("newer words")
    (workspace / "end").touch()
    await tab.turns_end()


async def test_of_a_long_folder_the_end_is_shown(meet: Meet, api: Api, workspace: Path) -> None:
    """The last folder of a path is the one that tells chats apart."""
    deep = workspace / "a-folder-with-a-long-name" / "and-another-one-below-it" / "the-project"
    deep.mkdir(parents=True)
    await api.create_chat(deep)
    person = await meet("phone", viewport={"width": 390, "height": 844})
    tab = await person.open("/new")
    field = tab.page.get_by_label("Folder", exact=True)
    await expect(field).to_have_value(str(deep))

    async def is_at_its_end() -> bool:
        hidden: float = await field.evaluate(
            "field => field.scrollWidth - field.clientWidth - field.scrollLeft"
        )
        return hidden < 2

    assert await field.evaluate("field => field.scrollWidth > field.clientWidth")
    await until(is_at_its_end)
