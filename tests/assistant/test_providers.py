"""Which model the settings select, what a provider offers, and testing a model."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.kit.peers.llm import ScriptedLlm, scripted_llm
from voxpilot.assistant import providers
from voxpilot.assistant.failures import ModelFailed, NoModel
from voxpilot.assistant.providers import PROVIDERS, choose
from voxpilot.settings import AssistantSettings, BadSettings, load_settings

KEY = "sk-very-secret-0123456789"


@pytest.fixture(scope="module")
def llm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ScriptedLlm]:
    with scripted_llm(tmp_path_factory.mktemp("llm") / "calls.jsonl") as running:
        yield running


def given(**fields: Any) -> AssistantSettings:
    return AssistantSettings.model_validate(fields)


def test_with_nothing_configured_it_is_the_demo_model() -> None:
    assert choose(given(), {}).wire == "demo"
    assert choose(given(), {"GITHUB_TOKEN": KEY}).wire == "demo"


@pytest.mark.parametrize(
    ("variable", "provider", "wire"),
    [
        ("ANTHROPIC_API_KEY", "anthropic", "anthropic"),
        ("OPENAI_API_KEY", "openai", "openai"),
        ("OPENROUTER_API_KEY", "openrouter", "openai"),
    ],
)
def test_a_key_in_the_environment_is_enough(variable: str, provider: str, wire: str) -> None:
    choice = choose(given(), {variable: KEY})
    assert (choice.provider, choice.wire, bool(choice.model)) == (provider, wire, True)
    assert choice.api_key is not None
    assert choice.api_key.get_secret_value() == KEY
    assert KEY not in repr(choice)


def test_github_is_asked_with_its_token_when_it_is_chosen() -> None:
    choice = choose(given(provider="github", model="openai/gpt-5"), {"GITHUB_TOKEN": KEY})
    assert (choice.model, choice.base_url) == ("openai/gpt-5", PROVIDERS["github"].base_url)
    assert choice.api_key is not None


def test_a_key_of_the_settings_counts_more_and_a_chats_own_model_most() -> None:
    settings = given(provider="openai", api_key="sk-of-the-settings", model="one")
    choice = choose(settings, {"OPENAI_API_KEY": KEY}, {"provider": "openai", "name": "two"})
    assert choice.api_key is not None
    assert choice.api_key.get_secret_value() == "sk-of-the-settings"
    assert choice.model == "two"
    assert choose(settings, {}, {"provider": "ollama", "name": "two"}).model == "one"


def test_a_key_from_the_environment_goes_to_nobody_but_its_provider() -> None:
    env = {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY}
    assert choose(given(base_url="http://127.0.0.1:8000/v1", model="m"), env).api_key is None
    with pytest.raises(NoModel, match="No API key"):
        choose(given(provider="openai", base_url="https://elsewhere.example/v1"), env)
    with pytest.raises(NoModel, match="No API key"):
        choose(given(provider="openai", base_url="https://api.openai.com.elsewhere.example/v1"), env)
    with pytest.raises(NoModel, match="No API key"):
        choose(given(provider="openai", base_url="http://api.openai.com/v1"), env)


def test_what_is_missing_is_said_with_what_to_do() -> None:
    for settings, words in (
        (given(provider="anthropic"), "ANTHROPIC_API_KEY"),
        (given(provider="ollama"), "assistant.model"),
        (given(provider="compatible", model="m"), "assistant.base_url"),
    ):
        with pytest.raises(NoModel) as caught:
            choose(settings, {})
        assert words in caught.value.hint


def test_settings_come_from_the_file_and_single_variables_count_more(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text(f'[assistant]\nprovider = "openai"\nmodel = "one"\napi_key = "{KEY}"\n')
    env = {"VOXPILOT_CONFIG": str(config), "HOME": str(tmp_path)}
    settings = load_settings(env | {"VOXPILOT_ASSISTANT_MODEL": "two", "VOXPILOT_MAX_AGENT_ITERATIONS": "7"})
    assert (settings.assistant.provider, settings.assistant.model) == ("openai", "two")
    assert settings.max_agent_iterations == 7
    assert load_settings(env).max_agent_iterations == 25
    assert KEY not in f"{settings!r} {settings.model_dump_json()}"


def test_a_wrong_setting_is_told_without_its_key(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text(f'[assistant]\napi_key = ["{KEY}"]\n')
    with pytest.raises(BadSettings) as caught:
        load_settings({"VOXPILOT_CONFIG": str(config), "HOME": str(tmp_path)})
    assert "assistant.api_key" in caught.value.message
    assert KEY not in caught.value.message


@pytest.mark.parametrize("provider", ["openai", "anthropic", "compatible", "github"])
async def test_models_are_listed(llm: ScriptedLlm, provider: str) -> None:
    settings = given(provider=provider, base_url=llm.openai, api_key=KEY)
    assert "scripted-one" in await providers.list_models(settings, {})


async def test_a_list_that_cannot_be_had_is_told(llm: ScriptedLlm) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        nobody = given(provider="ollama", base_url=f"http://127.0.0.1:{taken.getsockname()[1]}/v1")
        with pytest.raises(ModelFailed) as caught:
            await providers.list_models(nobody, {})
    assert caught.value.reason == "connection"
    with pytest.raises(ModelFailed) as caught:
        await providers.list_models(given(base_url=f"{llm.url}/nothing/here?"), {})
    assert caught.value.reason == "unreadable"


@pytest.mark.parametrize("provider", ["openai", "anthropic", "ollama"])
async def test_a_trial_asks_the_model_for_a_word(llm: ScriptedLlm, provider: str) -> None:
    settings = given(provider=provider, model="scripted-two", base_url=llm.openai, api_key=KEY)
    assert (await providers.check_provider(settings, {})).ok
    assert llm.asked("Say: ready", own_too=True)[-1]["model"] == "scripted-two"


async def test_a_trial_that_fails_says_why() -> None:
    trial = await providers.check_provider(given(provider="anthropic"), {})
    assert not trial.ok
    assert "No API key" in trial.message
    assert trial.hint
    assert (await providers.check_provider(given(), {})).ok, "the demo model needs nothing"


def test_a_key_as_it_is_shown_is_not_taken_for_a_key() -> None:
    with pytest.raises(ValueError, match="not the key itself"):
        given(api_key="**********")
