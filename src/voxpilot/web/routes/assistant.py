"""Routes for the assistant's model: the choices, and a test.

Lives here: providers and models as JSON. Lives elsewhere: asking them
(assistant/providers.py), changing the settings (settings.py).
"""

from __future__ import annotations

from pydantic import ValidationError

from voxpilot.assistant import providers, toolbox
from voxpilot.chat.events import Json
from voxpilot.errors import Invalid, VoxPilotError
from voxpilot.settings import AssistantSettings
from voxpilot.web.door.loosening import Allowed, Limits
from voxpilot.web.routes.chats import Sup
from voxpilot.web.routing.router import Router
from voxpilot.web.schemas.agent_bodies import AssistantInfo, AssistantTrial, AssistantWish, ModelList

router = Router("/api/assistant", "assistant")


@router.get("", model=AssistantInfo)
async def info(sup: Sup) -> Json:
    """Which model answers now, and which providers there are."""
    problem: Json | None = None
    chosen: Json | None = None
    try:
        choice = providers.choose(sup.services.settings.assistant)
        chosen = {"provider": choice.provider, "model": choice.model}
    except VoxPilotError as error:
        problem = {"message": error.message, "hint": error.hint}
    listed = [
        {"id": provider.id, "name": provider.name, "needs_key": provider.needs_key, "model": provider.model}
        for provider in providers.PROVIDERS.values()
    ]
    tools = [{"name": tool.name, "description": tool.description} for tool in toolbox.offered()]
    return {"chosen": chosen, "problem": problem, "providers": listed, "tools": tools}


@router.post("/models", model=ModelList)
async def models(body: AssistantWish, sup: Sup, limits: Allowed) -> Json:
    """The models of a provider; omitted values come from the settings."""
    _check_address(body, limits)
    return {"models": list(await providers.list_models(_wished(body, sup.services.settings.assistant)))}


@router.post("/check", model=AssistantTrial)
async def check(body: AssistantWish, sup: Sup, limits: Allowed) -> Json:
    """Send one tiny request, so that a person can see whether the model works."""
    _check_address(body, limits)
    trial = await providers.check_provider(_wished(body, sup.services.settings.assistant))
    return {"ok": trial.ok, "message": trial.message, "hint": trial.hint}


def _check_address(body: AssistantWish, limits: Limits) -> None:
    given = body.model_dump(exclude_unset=True)
    limits.check("change the provider's address", bool(given.get("provider") or given.get("base_url")))


def _wished(body: AssistantWish, now: AssistantSettings) -> AssistantSettings:
    given = {name: value for name, value in body.model_dump(exclude_unset=True).items() if value is not None}
    if not (key := given.get("api_key", "")).strip("*") and key:
        del given["api_key"]  # the masked key stands for the stored one
    known = now.model_dump()
    if given.get("provider", now.provider) != now.provider:
        given = {"model": "", "base_url": "", "api_key": None, **given}
    elif providers.goes_elsewhere(known, given):
        given = {"api_key": None, **given}
    try:
        return AssistantSettings.model_validate({**known, **given})
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        raise Invalid(f"The assistant's {first['loc'][0]} is invalid: {first['msg']}.") from None
