"""Which arguments are secrets, and what a returned mask stands for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxpilot.errors import Invalid
from voxpilot.settings.masking import MASK, hide_args, hide_opaque, hide_opaque_values, reveal_args


@pytest.mark.parametrize(
    ("args", "shown"),
    [
        (["--api-key=abc"], [f"--api-key={MASK}"]),
        (["--api-key=a=b c"], [f"--api-key={MASK}"]),
        (["--token", "abc", "x"], ["--token", MASK, "x"]),
        (["--token", "-abc"], ["--token", MASK]),
        (["--auth", "--verbose"], ["--auth", "--verbose"]),
        (["--auth", "-v"], ["--auth", "-v"]),
        (["-e", "OPENAI_API_KEY=abc"], ["-e", f"OPENAI_API_KEY={MASK}"]),
        (["-H", "Authorization: Bearer abc"], ["-H", f"Authorization: {MASK}"]),
        (["-c", 'model_providers.x.api_key="abc"'], ["-c", f"model_providers.x.api_key={MASK}"]),
        (
            ["-c", 'headers={ "X-Api-Key" = "abc", "A" = "b" }'],
            ["-c", f'headers={{ "X-Api-Key" = "{MASK}", "A" = "b" }}'],
        ),
        (["https://me:abc@example.org/x"], [f"https://me:{MASK}@example.org/x"]),
        (["https://example.org/?a=b&token=abc&c=d"], [f"https://example.org/?a=b&token={MASK}&c=d"]),
        (["sh", "-c", "exec env TOKEN=abc agent --acp"], ["sh", "-c", f"exec env TOKEN={MASK} agent --acp"]),
        (["sk-abcdefghijklmnopqrstuvwxyz"], [MASK]),
        (["use", "ghp_abcdefghijklmnopqrstuvwxyz0123"], ["use", MASK]),
    ],
)
def test_secrets_are_hidden(args: list[str], shown: list[str]) -> None:
    assert hide_args(args) == shown
    assert reveal_args(shown, args) == tuple(args)


@pytest.mark.parametrize(
    "args",
    [
        ["--acp", "--stdio"],
        ["--model", "gpt-5", "--max-tokens", "4096"],
        ["--max-tokens=4096", "--token-limit=5", "max_tokens: 5"],
        ["--author=me", "--port=8080", "http://127.0.0.1:8080/x"],
        ["-y", "@zed-industries/claude-code-acp"],
        ["--api-key="],
        ["--token"],
        [""],
    ],
)
def test_everything_else_is_shown(args: list[str]) -> None:
    assert hide_args(args) == args


def test_a_mask_is_found_again_by_the_word_before_it() -> None:
    before = ["--token", "one", "--key", "two", "sk-" + "x" * 20]
    moved = ["--verbose", "--key", MASK, MASK, "--token", MASK]
    assert reveal_args(moved, before) == ("--verbose", "--key", "two", "sk-" + "x" * 20, "--token", "one")
    assert reveal_args(["--token", "new", "--key", MASK], before) == ("--token", "new", "--key", "two")


@pytest.mark.parametrize(
    "sent", [["--other", MASK], ["--token", MASK, "--token", MASK, MASK, MASK], [f"--x={MASK}"]]
)
def test_a_mask_for_nothing_is_refused(sent: list[str]) -> None:
    """With several candidates, nothing is guessed."""
    with pytest.raises(Invalid, match="no value yet"):
        reveal_args(sent, ["--token", "one", "--key", "two"])


@given(
    st.lists(
        st.text(st.sampled_from("ab-=: /@?&\"'ktoen"), max_size=12)
        | st.sampled_from(["--token", "--api-key", "KEY=x"]),
        max_size=6,
    )
)
def test_what_is_shown_and_sent_back_changes_nothing(args: list[str]) -> None:
    assert reveal_args(hide_args(args), args) == tuple(args)


@pytest.mark.parametrize(
    "args",
    [
        ["--password-command=evil"],
        ["--password-command", "evil"],
        ["--auth-plugin", "evil-module"],
        ["--token-file=notes"],
    ],
)
def test_what_decides_what_runs_is_shown_for_approval_whatever_its_name(args: list[str]) -> None:
    """A7"""
    assert hide_opaque(args) == args


def test_a_variable_that_decides_what_runs_is_shown_for_approval() -> None:
    """A7: a keyring's backend is a Python module."""
    chosen = {"PYTHON_KEYRING_BACKEND": "evil", "SSH_AUTH_SOCK": "evil", "TOKEN_HELPER": "evil"}
    assert hide_opaque_values(chosen) == chosen
    assert hide_opaque_values({"NPM_TOKEN": "abc", "API_KEY": "abc"}) == {"NPM_TOKEN": MASK, "API_KEY": MASK}
    assert hide_opaque(["--api-key", "abc", "--token=abc"]) == ["--api-key", MASK, f"--token={MASK}"]
