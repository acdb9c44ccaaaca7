"""Routes of the assistant's model: what there is to choose, and a trial.

Lives here: providers and models as JSON. Lives elsewhere: asking them
(assistant/providers.py), changing the settings (settings.py).
"""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import ValidationError

from voxpilot.assistant import providers
from voxpilot.chat.events import Json
from voxpilot.errors import Invalid, VoxPilotError
from voxpilot.settings import AssistantSettings
from voxpilot.web.agent_schemas import AssistantInfo, AssistantTrial, AssistantWish, ModelList
from voxpilot.web.chats import Sup

router = APIRouter(prefix="/api/assistant", tags=["assistant"])


@router.get("", response_model=AssistantInfo)
async def info(sup: Sup) -> Json:
    """Which model answers now, and which providers there are."""
    problem: Json | None = None
    chosen: Json | None = None
    try:
        choice = providers.choose(sup.house.settings.assistant)
        chosen = {"provider": choice.provider, "model": choice.model}
    except VoxPilotError as error:
        problem = {"message": error.message, "hint": error.hint}
    listed = [
        {"id": provider.id, "name": provider.name, "needs_key": provider.needs_key, "model": provider.model}
        for provider in providers.PROVIDERS.values()
    ]
    return {"chosen": chosen, "problem": problem, "providers": listed}


@router.post("/models", response_model=ModelList)
async def models(body: AssistantWish, sup: Sup) -> Json:
    """What a provider offers; what is not given is as the settings have it."""
    return {"models": list(await providers.list_models(_wished(body, sup.house.settings.assistant)))}


@router.post("/check", response_model=AssistantTrial)
async def check(body: AssistantWish, sup: Sup) -> Json:
    """One tiny request, so that a person sees whether it works."""
    trial = await providers.check_provider(_wished(body, sup.house.settings.assistant))
    return {"ok": trial.ok, "message": trial.message, "hint": trial.hint}


def _wished(body: AssistantWish, now: AssistantSettings) -> AssistantSettings:
    given = {name: value for name, value in body.model_dump(exclude_unset=True).items() if value is not None}
    if not (key := given.get("api_key", "")).strip("*") and key:
        del given["api_key"]  # as it is shown: the one that is kept
    known = now.model_dump()
    if given.get("provider", now.provider) != now.provider:
        given = {"model": "", "base_url": "", "api_key": None, **given}
    elif providers.goes_elsewhere(known, given):
        given = {"api_key": None, **given}
    try:
        return AssistantSettings.model_validate({**known, **given})
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        raise Invalid(f"The assistant's {first['loc'][0]} is wrong: {first['msg']}.") from None
