"""The browser itself forbids what the page must never do, and these tests see the errors (A40)."""

from __future__ import annotations

import pytest
from playwright.async_api import Error

from tests.browser.conftest import Meet


async def test_html_from_strings_is_refused(meet: Meet) -> None:
    person = await meet("laptop")
    tab = await person.open("/new")
    with pytest.raises(Error, match="TrustedHTML"):
        await tab.evaluate("document.body.innerHTML = '<b>hello</b>'")
    with pytest.raises(Error, match="Policy"):
        await tab.evaluate("trustedTypes.createPolicy('other', { createHTML: (html) => html })")
    with pytest.raises(Error, match="Policy"):
        await tab.evaluate("trustedTypes.createPolicy('solid', { createHTML: (html) => html })")
    assert any("POLICY require-trusted-types-for" in complaint for complaint in person.complaints)
    person.complaints.clear()


async def test_scripts_and_styles_in_the_document_are_refused(meet: Meet) -> None:
    person = await meet("laptop")
    tab = await person.open("/new")
    with pytest.raises(Error, match="TrustedScript"):
        await tab.evaluate("document.body.setAttribute('onclick', 'globalThis.ran = true')")
    await tab.evaluate(
        """() => {
          const style = document.createElement("style");
          style.append("body { outline: 9px solid red }");
          document.body.append(style);
        }"""
    )
    assert await tab.evaluate("getComputedStyle(document.body).outlineWidth") != "9px"
    assert any("POLICY style-src-elem" in complaint for complaint in person.complaints)
    person.complaints.clear()


async def test_our_worker_policy_takes_only_files_of_the_build(meet: Meet) -> None:
    person = await meet("laptop")
    tab = await person.open("/new")
    with pytest.raises(Error, match="TrustedScriptURL"):
        await tab.evaluate("new SharedWorker('/chat/evil.js')")
    person.complaints.clear()
