"""What agents do on this machine, as a person sees it: running commands, and files before they change."""

from __future__ import annotations

from pathlib import Path

from playwright.async_api import expect

from tests.browser.conftest import Meet
from tests.fakes.script import request, say, script, update
from tests.kit.clients.client import Api
from tests.kit.waiting import until

CALL = {
    "sessionUpdate": "tool_call",
    "toolCallId": "run-1",
    "title": "Run it",
    "kind": "execute",
    "status": "in_progress",
    "content": [{"type": "terminal", "terminalId": "$terminalId"}],
}


async def test_a_command_is_seen_running_in_its_tool_call(
    meet: Meet, api: Api, chat: str, workspace: Path
) -> None:
    """R89, R97: the raw command is asked about; output is there before the end; then the exit status."""
    line = "echo one; while [ ! -e go ]; do sleep 0.01; done; echo two; exit 3"
    wait = request("terminal/wait_for_exit", {"terminalId": "$terminalId"})
    tab = await (await meet("laptop")).open_chat(chat)
    await api.prompt(
        chat, script(request("terminal/create", {"command": line}), update(CALL), wait, say("Done."))
    )
    await expect(tab.find("block-question").first).to_contain_text(line)
    await tab.answer("Allow")
    terminal = tab.find("block-tool").get_by_test_id("terminal")
    await expect(terminal).to_contain_text("one")
    await expect(terminal).to_have_attribute("data-state", "running")
    await expect(tab.find("block-terminal")).to_have_count(0)
    await tab.page.reload()
    await expect(terminal).to_contain_text("one")
    (workspace / "go").touch()
    await expect(terminal).to_have_attribute("data-state", "ended")
    await expect(terminal).to_contain_text("Exit status 3")
    await expect(terminal.locator("pre")).to_have_text("one\ntwo")
    await tab.turns_end()


async def test_a_write_over_somebodys_change_says_so(
    meet: Meet, api: Api, chat: str, workspace: Path
) -> None:
    """F89, R89: the diff against the current file is in view, with a warning."""
    path = workspace / "notes.txt"
    path.write_text("old\n")
    read = request("fs/read_text_file", {"path": str(path)})
    write = request("fs/write_text_file", {"path": str(path), "content": "by the agent\n"})
    tab = await (await meet("laptop")).open_chat(chat)
    await api.prompt(chat, script(read, say("Read."), "wait-file edited", write, say("Written.")))
    await tab.has_begun(10)
    path.write_text("by a person\n")
    (workspace / "edited").touch()
    question = tab.find("block-question")
    await expect(question).to_contain_text("changed since the agent read it")
    await expect(question).to_contain_text("by a person")
    await expect(question).to_contain_text("by the agent")
    await tab.answer("Allow")
    await tab.turns_end()
    await until(lambda: path.read_text() == "by the agent\n", 5)
