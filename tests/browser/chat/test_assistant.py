"""The assistant on the page: delegated work while it runs and when it is done, with changing viewers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import Locator, expect

from tests.browser.conftest import Meet
from tests.browser.person import Tab
from tests.conftest import StartServer
from tests.fakes.llm.script import slow_text
from tests.fakes.script import ask, chunks, die, diff, plan, say, script, spoken_by, update, wait_file
from tests.kit.clients.assistant import assistant
from tests.kit.clients.client import Api
from tests.kit.peers.llm import ScriptedLlm, scripted_llm
from tests.kit.servers.config import scripted
from tests.kit.servers.server import ServerProcess


@pytest.fixture
def llm(place: Path) -> Iterator[ScriptedLlm]:
    with scripted_llm(place / "llm.log") as running:
        yield running


@pytest.fixture
async def server(start_server: StartServer, llm: ScriptedLlm) -> ServerProcess:
    """One whose `copilot` is the scripted agent, too."""
    return await start_server(agents={"copilot": scripted()}, settings=assistant(llm))


@pytest.fixture
async def chat(api: Api, workspace: Path) -> str:
    """The id of a new chat with the assistant, which delegates work to the scripted agent."""
    return str((await api.create_chat(workspace, mode="llm"))["id"])


def delegate(prompt: str, name: str = "auth-bug") -> str:
    return f"call copilot_agent {json.dumps({'prompt': prompt, 'session_name': name})}"


def block(tab: Tab, place: int = 0) -> Locator:
    return tab.find("copilot-block").nth(place)


def offered(tab: Tab, name: str) -> Locator:
    """A selector next to the message field."""
    return tab.page.locator(".composer").get_by_role("combobox", name=name, exact=True)


async def streams(tab: Tab, expected: str) -> None:
    """Exactly this is in the blocks' streams, character by character."""
    try:
        await tab.page.wait_for_function(_STREAMS, arg=expected, timeout=30_000)
    except Exception:
        assert "".join(await tab.find("copilot-stream").all_text_contents()) == expected
        raise


_STREAMS = """(text) => [...document.querySelectorAll(".copilot-stream")]
  .map((stream) => stream.textContent).join("") === text"""


async def tab_shows(tab: Tab) -> list[list[str]]:
    """Everything in the conversation, block by block."""
    shown: list[list[str]] = await tab.evaluate(_SHOWN)
    assert shown
    return shown


_SHOWN = """() => {
  const wanted = "[data-testid^=block-], [data-testid=turn-footer], .copilot-block";
  const told = (block) => [block.dataset.testid, block.dataset.status ?? "", String(block.open ?? "")];
  return [...document.querySelectorAll(wanted)].map((block) => [...told(block), block.textContent]);
}"""


async def has_streamed(tab: Tab, characters: int) -> None:
    script = "(n) => (document.querySelector('.copilot-stream')?.textContent.length ?? 0) >= n"
    await tab.page.wait_for_function(script, arg=characters)


async def test_how_full_the_context_of_each_agent_is_and_what_it_cost_is_told_beside_the_chat(
    meet: Meet, chat: str
) -> None:
    tab = await (await meet("laptop", viewport={"width": 1280, "height": 800})).open_chat(chat)
    used = {"sessionUpdate": "usage_update", "used": 48_000, "size": 200_000}
    cost = {"cost": {"amount": 0.004, "currency": "USD"}}
    first = script(update({**used, **cost}), say("a"))
    second = script(update({**used, "used": 2_000}), say("b"))
    await tab.send(f"{delegate(first, 'A')}\nalso {delegate(second, 'B')}\nsay end")
    await tab.turns_end()
    usage = tab.page.locator(".panel").get_by_test_id("usage")
    await expect(usage).to_have_count(2)
    await expect(usage.filter(has_text="A")).to_have_text("A24% of 200k0.004 USD")
    await expect(usage.filter(has_text="B")).to_have_text("B1% of 200k")


async def test_delegated_work_is_open_while_it_runs_and_folds_when_done(
    meet: Meet, api: Api, workspace: Path, place: Path
) -> None:
    """V5, V6, V8, V13, V15, R45, R173–R181: name, spinner, done; opened by hand; folded after a reload."""
    chat = (await api.create_chat(workspace, "copilot", "llm"))["id"]
    tab = await (await meet("laptop", reduced_motion="no-preference")).open_chat(chat)
    gate = place / "gate"
    work = script(chunks(300, 1), wait_file(gate), say(" The end."))
    await tab.send(f"{delegate(work)}\nsay All is well")
    one = tab.page.locator("details.copilot-block")
    await expect(one).to_have_attribute("open", "")
    await expect(one.locator("summary").first).to_have_text("🤖 Copilot [auth-bug]")
    outer = tab.find("block-tool").first
    await expect(outer.locator("summary").first).to_have_text("⚙ copilot_agent")
    await expect(outer.get_by_text("session_name")).to_have_count(0)  # no JSON
    await expect(one.locator("summary .spinner")).to_be_visible()
    await has_streamed(tab, 1500)
    at_end = "(box) => box.scrollTop > 0 && box.scrollHeight - box.scrollTop - box.clientHeight < 30"
    await tab.page.wait_for_function(f"({at_end})(document.querySelector('pre.copilot-stream'))")
    await _is_drawn_as_it_should_be(tab)
    gate.touch()
    await tab.turns_end()
    await expect(one).not_to_have_attribute("open", "")
    await expect(one.locator("summary").first).to_have_text("🤖 Copilot [auth-bug] — done")
    await expect(one.locator("summary .spinner")).to_have_count(0)
    await tab.says("All is well")
    await one.locator("summary").first.click()
    await expect(one).to_have_attribute("open", "")
    await expect(one.locator(".copilot-stream")).to_be_visible()
    await tab.page.reload()
    await expect(one).not_to_have_attribute("open", "")
    await expect(one.locator("summary").first).to_have_text("🤖 Copilot [auth-bug] — done")
    await streams(tab, spoken_by(work))
    await one.locator("summary").first.click()
    await expect(one.locator(".copilot-stream")).to_be_visible()


async def _is_drawn_as_it_should_be(tab: Tab) -> None:
    """A distinct accent colour, a monospaced box that scrolls, and an animated collapse."""
    drawn = await tab.evaluate(_DRAWN)
    assert drawn["accent"] not in drawn["others"]
    assert "mono" in drawn["font"]
    assert drawn["height"].endswith("px")
    assert drawn["overflow"] == "auto"
    assert "height" in drawn["moves"]
    assert float(drawn["takes"].split("s")[0]) > 0.01


_DRAWN = """() => {
  const block = document.querySelector(".copilot-block");
  const stream = getComputedStyle(document.querySelector(".copilot-stream"));
  const inside = getComputedStyle(block, "::details-content");
  const edge = (element) => getComputedStyle(element).borderInlineStartColor;
  return {
    accent: edge(block),
    others: [...document.querySelectorAll("main *")].filter((element) => !block.contains(element)).map(edge),
    font: stream.fontFamily,
    height: stream.maxHeight,
    overflow: stream.overflowY,
    moves: inside.transitionProperty,
    takes: inside.transitionDuration,
  };
}"""


async def test_a_block_stays_as_a_person_left_it_and_holds_all_the_agent_does(
    meet: Meet, api: Api, chat: str, place: Path
) -> None:
    """R52, R176, R177: two calls are two blocks; calls, plan, diffs and questions are inside theirs."""
    tab = await (await meet("laptop")).open_chat(chat)
    gate = place / "gate"
    first, second = script(say("one "), wait_file(gate), say("more")), script(say("two "), wait_file(gate))
    await tab.send(f"{delegate(first, 'A')}\nalso {delegate(second, 'B')}\nsay end")
    await streams(tab, "one two ")
    await block(tab).locator("summary").first.click()
    await expect(block(tab)).not_to_have_attribute("open", "")
    await block(tab, 1).locator("summary").first.click()
    await block(tab, 1).locator("summary").first.click()
    gate.touch()
    await tab.turns_end()
    await streams(tab, "one moretwo ")
    await expect(block(tab)).not_to_have_attribute("open", "")
    await expect(block(tab, 1)).to_have_attribute("open", "")
    await api.change_chat(chat, permissions="ask")
    asks = script(plan("Look", "Fix"), diff("d", "a.py"), ask("e", "May I edit?"), say(" Done."))
    await tab.send(f"{delegate(asks, 'C')}\nsay end")
    third = block(tab, 2)
    await expect(third.locator("summary").first).to_contain_text("waiting for you")
    await expect(third.get_by_text("Fix")).to_be_visible()
    await expect(third.locator("[data-testid=block-tool]").first).to_be_visible()
    await tab.answer("Allow")
    await tab.turns_end(2)
    await expect(third).not_to_have_attribute("open", "")
    await expect(third.get_by_text("waiting for you")).to_have_count(0)


async def test_reloads_in_mid_delegation_show_every_character_once(
    meet: Meet, api: Api, chat: str, place: Path
) -> None:
    """V14, V18, R44, R48, R50: history, then live output, then done, the result and the final answer."""
    tab = await (await meet("laptop")).open_chat(chat)
    gate = place / "gate"
    work = script(chunks(300, 8), wait_file(gate), chunks(100, 2))
    await api.prompt(chat, f"{delegate(work)}\nsay That was it")
    for reload in range(3):
        await has_streamed(tab, 300 * (reload + 1))
        await tab.page.reload()
    await expect(block(tab)).to_have_attribute("open", "")
    await expect(block(tab).get_by_text("reconnected, still running")).to_be_visible()
    gate.touch()
    await tab.turns_end()
    await streams(tab, spoken_by(work))
    await expect(block(tab)).not_to_have_attribute("open", "")
    await expect(block(tab).get_by_text("recovered")).to_have_count(0)
    await tab.says("That was it")


async def test_browsers_come_and_go_while_an_agent_works(
    meet: Meet, api: Api, chat: str, place: Path
) -> None:
    """V19, R40, R44, R46, R51: all see the same, also an answer that nobody watched."""
    laptop, phone = await meet("laptop"), await meet("phone", viewport={"width": 390, "height": 844})
    here, there = await laptop.open_chat(chat), await phone.open_chat(chat)
    gate = place / "gate"
    work = script(chunks(200, 5), wait_file(gate), chunks(100, 2))
    await api.prompt(chat, f"{delegate(work)}\nsay end")
    await has_streamed(here, 400)
    await there.page.close()
    other = await (await meet("desktop")).open_chat(chat)
    await has_streamed(other, 800)
    gate.touch()
    back = await phone.open_chat(chat)
    for tab in (here, other, back):
        await tab.turns_end()
        await streams(tab, spoken_by(work))
        await tab.says("end")
        await expect(block(tab)).not_to_have_attribute("open", "")
    assert await tab_shows(here) == await tab_shows(other) == await tab_shows(back)
    await other.page.close()
    await back.page.close()
    await api.prompt(chat, "slow 60 0.02")
    await here.has_begun(40)
    await here.page.close()
    again = await laptop.open_chat(chat)
    await again.turns_end(2)
    await again.says("end" + slow_text(60))


async def test_a_server_that_dies_over_delegated_work_comes_back_to_it(
    meet: Meet, api: Api, server: ServerProcess, chat: str, place: Path
) -> None:
    """R48–R50, V18: the same page continues by itself and says that the work was recovered."""
    person = await meet("laptop")
    person.expect_trouble()
    tab = await person.open_chat(chat)
    gate = place / "gate"
    work = script(chunks(100, 3), wait_file(gate), chunks(100, 2))
    await api.prompt(chat, f"{delegate(work)}\nsay end")
    await has_streamed(tab, 300)
    await server.restart()
    await expect(block(tab).get_by_text("reconnected, still running")).to_be_visible()
    gate.touch()
    await tab.turns_end()
    await streams(tab, spoken_by(work))
    await tab.says("end")


async def test_an_answer_is_whole_whoever_leaves_and_work_cut_off_is_continued(
    meet: Meet, api: Api, server: ServerProcess, chat: str
) -> None:
    """R46, R47, R57: a server crash costs one unfinished text, an agent crash one click."""
    person = await meet("laptop")
    person.expect_trouble()
    tab = await person.open_chat(chat)
    await api.prompt(chat, "slow 40 0.05")
    await tab.has_begun(20)
    await tab.page.close()
    await server.restart()
    tab = await person.open_chat(chat)
    await tab.turns_end()
    await expect(tab.find("superseded")).to_contain_text("retried after a restart")
    await tab.says(slow_text(40))
    await tab.send('call read_file {"path": "nowhere.txt"}\nsay ""')
    await tab.turns_end(2)
    await expect(tab.find("block-tool").first).to_have_attribute("data-status", "failed")
    await expect(tab.page.locator(".tool-reason")).to_contain_text("nowhere.txt")
    await tab.send(f"{delegate(script(say('half'), die()))}\nsay never")
    await tab.turns_end(3)
    await expect(block(tab).locator("summary").first).to_have_text("🤖 scripted [auth-bug] — interrupted")
    await tab.page.get_by_role("button", name="Continue").click()
    await tab.turns_end(4)


async def test_what_waits_is_seen_and_can_be_stopped_or_allowed(meet: Meet, chat: str, place: Path) -> None:
    """R25, R47, R168: a name that is busy, and a file outside the folder."""
    tab = await (await meet("laptop")).open_chat(chat)
    await tab.send(f"{delegate(script(say('one'), wait_file('never')))}\nalso {delegate(script(say('two')))}")
    await streams(tab, "one")
    await expect(block(tab, 1)).to_contain_text(
        "Waiting for the earlier task in session “auth-bug” to finish."
    )
    await expect(tab.find("agent-status")).to_have_text("Working")
    await tab.find("composer-stop").click()
    await tab.turns_end()
    for place_of_block in (0, 1):
        await expect(block(tab, place_of_block).locator("summary").first).to_contain_text("— stopped")
    await expect(tab.find("agent-status")).to_have_text("Ready")
    secret = place / "outside.txt"
    secret.write_text("hidden")
    await tab.send(f"call read_file_external {json.dumps({'path': str(secret)})}\nsay I have read it")
    await expect(tab.find("block-question")).to_contain_text(str(secret))
    await expect(tab.find("agent-status")).to_have_text("Needs you")
    await tab.answer("Allow")
    await tab.turns_end(2)
    await tab.says("I have read it")


async def test_who_answers_is_chosen_at_the_start_and_changed_later(
    meet: Meet, api: Api, workspace: Path, llm: ScriptedLlm
) -> None:
    """R163, R169, R170: the assistant shows its model, an agent its mode, its model and its status."""
    tab = await (await meet("laptop")).open("/new")
    await tab.find("who").select_option(label="Assistant")
    await expect(tab.page.locator(".model-chip")).to_have_text("fake-model")
    await tab.find("work-agent").select_option("scripted")
    await tab.page.get_by_label("Folder", exact=True).fill(str(workspace))
    await tab.send("say Hello from the model")
    await tab.says("Hello from the model")
    await tab.turns_end()
    await expect(tab.find("mode")).to_have_value("")
    await expect(tab.page.locator(".model-chip")).to_have_text("fake-model")
    for name in ("Mode", "Model"):
        await expect(offered(tab, name)).to_have_count(0)
    asked = len(llm.asked())
    await tab.find("mode").select_option("scripted")
    await expect(tab.page.locator(".model-chip")).to_have_count(0)
    await tab.send(script(say("Hello from the agent")))
    await tab.says("Hello from the modelHello from the agent")
    for name in ("Answered by", "Mode", "Model"):
        await expect(offered(tab, name)).to_be_visible()
    await expect(tab.find("agent-status")).to_have_text("Connected")
    assert len(llm.asked()) == asked
    listed = (await api.chats())["chats"][0]
    assert (listed["mode"], listed["agent"]) == ("agent", "scripted")
    await tab.find("mode").select_option(label="Assistant")
    await expect(tab.page.locator(".model-chip")).to_have_text("fake-model")
    for name in ("Mode", "Model"):
        await expect(offered(tab, name)).to_have_count(0)


async def test_the_model_is_chosen_tried_and_kept_on_the_settings_page(
    meet: Meet, api: Api, llm: ScriptedLlm
) -> None:
    """R169: the key is never shown and stays when something else is changed."""
    tab = await (await meet("laptop")).open("/settings/assistant")
    await expect(tab.find("model-now")).to_contain_text("fake-model")
    form = tab.find("model-form")
    await expect(form.get_by_role("textbox", name="API key")).to_have_value("")
    await form.get_by_role("combobox", name="Model").fill("other-model")
    await form.get_by_role("button", name="Test").click()
    await expect(tab.find("trial")).to_have_attribute("data-ok", "true")
    await form.get_by_role("button", name="Save").click()
    await expect(tab.find("model-now")).to_contain_text("other-model")
    kept = (await api.settings())["values"]["assistant"]
    assert kept["base_url"] == llm.openai
    assert kept["api_key"].strip("*") == ""
    await form.get_by_role("combobox", name="Provider").select_option("anthropic")
    await expect(form.get_by_role("textbox", name="API key")).to_have_attribute("placeholder", "Required")
    await form.get_by_role("button", name="Save").click()
    await expect(tab.page.get_by_role("alert")).to_contain_text(
        "key"
    )  # the new choice is checked once it is stored
    now = (await api.settings())["values"]["assistant"]
    assert (now["provider"], now["base_url"], now["api_key"]) == ("anthropic", "", None)
