"""Providers of models, and choosing one.

Lives here: the known providers, choosing a model from the settings, the models a provider offers, and a test.
Lives elsewhere: asking (llm.py), the settings.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from pydantic import SecretStr

from voxpilot.assistant.failures import ModelFailed, NoModel, Reason, failure
from voxpilot.assistant.llm import ask
from voxpilot.assistant.shapes import Delta, ModelChoice, PersonSaid, Wire
from voxpilot.settings import AssistantSettings, is_this_machine
from voxpilot.values import dataclass

LIST_SECONDS = 15.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    id: str
    name: str
    wire: Wire
    base_url: str = ""
    """Its usual address."""
    model: str = ""
    """The default model; empty if only the person can know."""
    context_tokens: int = 128_000
    key_variables: tuple[str, ...] = ()
    """Environment variables in which its own tools look for a key; the first that is set is used."""
    needs_key: bool = True
    is_found_by_key: bool = False
    """Whether a key in the environment selects it when the settings name no provider."""
    silence_seconds: float = 180.0
    models_url: str = ""
    """The address of its model list, if it is not the usual one."""


PROVIDERS: Mapping[str, Provider] = {
    provider.id: provider
    for provider in (
        Provider(
            id="anthropic",
            name="Anthropic",
            wire="anthropic",
            base_url="https://api.anthropic.com",
            model="claude-sonnet-5-5",
            context_tokens=200_000,
            key_variables=("ANTHROPIC_API_KEY",),
            is_found_by_key=True,
        ),
        Provider(
            id="openai",
            name="OpenAI",
            wire="openai",
            base_url="https://api.openai.com/v1",
            model="gpt-5.4-mini",
            key_variables=("OPENAI_API_KEY",),
            is_found_by_key=True,
        ),
        Provider(
            id="openrouter",
            name="OpenRouter",
            wire="openai",
            base_url="https://openrouter.ai/api/v1",
            model="openrouter/auto",
            key_variables=("OPENROUTER_API_KEY",),
            is_found_by_key=True,
        ),
        Provider(  # not found by its key: many environments have that token for other reasons
            id="github",
            name="GitHub Models",
            wire="openai",
            base_url="https://models.github.ai/inference",
            model="openai/gpt-4.1",
            context_tokens=8_000,
            key_variables=("GITHUB_MODELS_TOKEN", "GITHUB_TOKEN", "GH_TOKEN"),
            models_url="https://models.github.ai/catalog/models",
        ),
        Provider(
            id="ollama",
            name="Ollama",
            wire="openai",
            base_url="http://127.0.0.1:11434/v1",
            context_tokens=32_000,
            needs_key=False,
            silence_seconds=600.0,
        ),
        Provider(
            id="lmstudio",
            name="LM Studio",
            wire="openai",
            base_url="http://127.0.0.1:1234/v1",
            context_tokens=32_000,
            needs_key=False,
            silence_seconds=600.0,
        ),
        Provider(
            id="compatible",
            name="OpenAI-compatible server",
            wire="openai",
            context_tokens=32_000,
            needs_key=False,
            silence_seconds=600.0,
        ),
        Provider(id="demo", name="Demo model", wire="demo", model="demo", needs_key=False),
    )
}


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of a test request to a model."""

    ok: bool
    message: str
    hint: str = ""


def choose(
    settings: AssistantSettings,
    env: Mapping[str, str] | None = None,
    wished: Mapping[str, str] | None = None,
) -> ModelChoice:
    """The model selected by the settings. If nothing is configured, the demo model.

    `wished` is a chat's own choice; it applies only while the settings use the provider it was made for.
    """
    choice = _located(settings, os.environ if env is None else env)
    own = wished["name"] if wished and wished["provider"] == choice.provider else ""
    choice = replace(choice, model=own or settings.model or choice.model)
    provider = PROVIDERS[choice.provider]
    if provider.needs_key and choice.api_key is None:
        raise _no_model(f"No API key is set for {provider.name}.", _key_hint(provider))
    if not choice.model:
        hint = "Choose one on the settings page, or set assistant.model."
        raise _no_model(f"No {provider.name} model is selected.", hint)
    return choice


def wish_for(settings: AssistantSettings, model: str) -> dict[str, str]:
    """A chat's own choice of a model of the current provider; none if `model` is empty."""
    return {"provider": _located(settings, os.environ).provider, "name": model} if model else {}


def goes_elsewhere(now: Mapping[str, Any], wished: Mapping[str, Any]) -> bool:
    """Whether a key stored for one address would be sent to another."""

    def address(values: Mapping[str, Any]) -> str:
        provider = PROVIDERS.get(values.get("provider") or "")
        return str(values.get("base_url") or (provider.base_url if provider else ""))

    return not _is_as_safe(address({**now, **wished}), address(now))


async def list_models(settings: AssistantSettings, env: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """The names of the provider's models; empty if it has no list."""
    choice = _located(settings, os.environ if env is None else env)
    if choice.wire == "demo":
        return ("demo",)
    return tuple(sorted(_ids(await _fetch(choice, _models_url(choice)))))


async def check_provider(settings: AssistantSettings, env: Mapping[str, str] | None = None) -> Trial:
    """Ask the model for a word."""
    heard: list[Delta] = []
    try:
        choice = replace(choose(settings, env), tries=1, silence_seconds=60.0)
        await ask(choice, "Answer in one word.", [PersonSaid("Say: ready")], (), heard.append)
    except ModelFailed as error:
        return Trial(False, error.message, error.hint)
    return Trial(True, f"{choice.model} answers.")


def _located(settings: AssistantSettings, env: Mapping[str, str]) -> ModelChoice:
    """The address and the key to use, before checking whether they are sufficient."""
    provider = PROVIDERS[settings.provider or _found(settings, env)]
    base_url = (settings.base_url or provider.base_url).rstrip("/")
    if provider.wire == "anthropic":
        base_url = base_url.removesuffix("/v1")  # the library adds it
    if provider.wire != "demo" and not base_url:
        raise _no_model(
            f"No address is set for the {provider.name}.",
            "Set assistant.base_url, for example http://127.0.0.1:8000/v1.",
        )
    return ModelChoice(
        provider=provider.id,
        wire=provider.wire,
        model=provider.model,
        base_url=base_url,
        api_key=_key(settings, provider, env),
        context_tokens=settings.context_tokens or provider.context_tokens,
        max_output_tokens=settings.max_output_tokens,
        silence_seconds=provider.silence_seconds,
    )


def _found(settings: AssistantSettings, env: Mapping[str, str]) -> str:
    """The provider when none is named: by its address, by its key, or the demo."""
    if settings.base_url:
        return "compatible"
    for provider in PROVIDERS.values():
        if provider.is_found_by_key and any(env.get(name) for name in provider.key_variables):
            return provider.id
    return "demo"


def _key(settings: AssistantSettings, provider: Provider, env: Mapping[str, str]) -> SecretStr | None:
    if settings.api_key is not None and settings.api_key.get_secret_value():
        return settings.api_key
    if settings.base_url and not (provider.base_url and _is_as_safe(settings.base_url, provider.base_url)):
        return None  # a key from the environment is sent only to its own provider
    return next((SecretStr(env[name]) for name in provider.key_variables if env.get(name)), None)


def _is_as_safe(one: str, other: str) -> bool:
    """Whether a key for the other address may be sent to this one: the same host, and not unencrypted."""
    try:
        new, old = urlsplit(one), urlsplit(other)
        is_clear = new.scheme == "http" and old.scheme == "https" and not is_this_machine(new.hostname or "")
    except ValueError:
        return False
    return new.netloc == old.netloc and not is_clear


def _key_hint(provider: Provider) -> str:
    variables = " or ".join(provider.key_variables)
    return f"Add one in the assistant's settings, or set {variables} in the server's environment."


def _no_model(message: str, hint: str) -> NoModel:
    error = NoModel(message, hint)
    error.reason = "model"
    return error


def _models_url(choice: ModelChoice) -> str:
    provider = PROVIDERS[choice.provider]
    if provider.models_url and choice.base_url == provider.base_url:
        return provider.models_url
    inner = "/v1/models?limit=1000" if choice.wire == "anthropic" else "/models"
    return f"{choice.base_url}{inner}"


async def _fetch(choice: ModelChoice, url: str) -> Any:
    import httpx2  # only needed to list models

    try:
        async with httpx2.AsyncClient(timeout=LIST_SECONDS) as client:
            answer = await client.get(url, headers=_headers(choice))
        if answer.status_code != 200:
            raise failure(choice, _reason(answer.status_code))
        return answer.json()
    except httpx2.TimeoutException:
        raise failure(choice, "timeout") from None
    except httpx2.TransportError:
        raise failure(choice, "connection") from None
    except (httpx2.InvalidURL, ValueError):
        raise failure(choice, "unreadable") from None


def _headers(choice: ModelChoice) -> dict[str, str]:
    if choice.api_key is None:
        return {}
    key = choice.api_key.get_secret_value()
    if choice.wire == "anthropic":
        return {"x-api-key": key, "anthropic-version": "2023-06-01"}
    return {"authorization": f"Bearer {key}"}


def _reason(status: int) -> Reason:
    if status in (401, 403):
        return "key"
    if status == 429:
        return "rate"
    return "server" if status >= 500 else "unreadable"


def _ids(listed: object) -> list[str]:
    entries = listed.get("data") if isinstance(listed, dict) else listed
    found = entries if isinstance(entries, list) else []
    return [entry["id"] for entry in found if isinstance(entry, dict) and isinstance(entry.get("id"), str)]
