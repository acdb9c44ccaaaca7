"""The options an agent offers: modes, models and config options in one form.

Lives here: reading the three ways agents offer choices. Lives elsewhere:
when they change (translate.py).
"""

from __future__ import annotations

from voxpilot.chat.events import Json

COMMANDS = "availableCommands"
"""Kept with what an agent offers to choose: what it can be told to do."""
_SHAPES = {"configOptions": list, "modes": dict, "models": dict}


def offered_in(result: object) -> Json:
    """The options in an agent's answer; malformed ones are left out."""
    given = result if isinstance(result, dict) else {}
    return {
        key: given[key] for key, shape in _SHAPES.items() if given.get(key) and isinstance(given[key], shape)
    }


def options_of(raw: Json) -> tuple[Json, ...]:
    """Config options if there are any; otherwise the older models and modes."""
    config = [shaped for option in raw.get("configOptions") or () if (shaped := _config(option))]
    categories = {option["category"] for option in config}
    if not config or "model" not in categories:
        config += _choice(raw.get("models"), "model", "Model", "currentModelId", "availableModels", "modelId")
    if not raw.get("configOptions"):
        config += _choice(raw.get("modes"), "mode", "Mode", "currentModeId", "availableModes", "id")
    return tuple(config)


def with_current(raw: Json, option: Json, value: object) -> Json:
    """The agent's options as they will be after a new value is accepted."""
    if option["via"] == "config":
        changed = [
            {**given, "currentValue": value} if given.get("id") == option["id"] else given
            for given in raw["configOptions"]
            if isinstance(given, dict)
        ]
        return {**raw, "configOptions": changed}
    group, current = {"mode": ("modes", "currentModeId"), "model": ("models", "currentModelId")}[
        option["via"]
    ]
    return {**raw, group: {**raw[group], current: value}}


def with_mode(raw: Json, mode: str) -> Json:
    """The agent's options with another mode; it is reported in the older form, but may be a config option."""
    changed = {**raw, "modes": {**(raw.get("modes") or {}), "currentModeId": mode}}
    for option in options_of(changed):
        if option["via"] == "config" and option["category"] == "mode" and accepts(option, mode):
            return with_current(changed, option, mode)
    return changed


def accepts(option: Json, value: object) -> bool:
    if option["type"] == "boolean":
        return isinstance(value, bool)
    return any(choice["value"] == value for choice in option["choices"])


def _config(option: object) -> Json | None:
    if not isinstance(option, dict) or option.get("type") not in ("select", "boolean"):
        return None
    return {
        "id": str(option.get("id", "")),
        "name": str(option.get("name", "")),
        "description": option.get("description"),
        "category": str(option.get("category") or "other"),
        "type": option["type"],
        "current": _value(option.get("currentValue")),
        "choices": _choices(option.get("options")),
        "via": "config",
    }


def _choices(options: object) -> list[Json]:
    found: list[Json] = []
    for option in options if isinstance(options, list) else ():
        if not isinstance(option, dict):
            continue
        if "options" in option:
            group = option.get("name") or option.get("group")
            found += [{**inner, "group": group} for inner in _choices(option["options"])]
        elif (value := _value(option.get("value"))) is not None:
            words = {name: option[name] for name in ("name", "description") if option.get(name)}
            found.append({"value": value, **words})  # an empty value is valid too, often as the default
    return found


def _choice(raw: object, via: str, name: str, current: str, available: str, key: str) -> list[Json]:
    if not isinstance(raw, dict) or not isinstance(raw.get(available), list):
        return []
    choices = [
        {"value": value, "name": str(item.get("name", value))}
        for item in raw[available]
        if isinstance(item, dict) and (value := _value(item.get(key))) is not None
    ]
    shape = {"id": via, "name": name, "category": via, "type": "select", "via": via}
    return [{**shape, "current": _value(raw.get(current)), "choices": choices}]


def _value(given: object) -> str | int | float | None:
    """A value that can be chosen: a string, a number or a boolean."""
    return given if isinstance(given, str | int | float) else None
