"""A validator for the part of JSON Schema that our description uses; it rejects anything else."""

from __future__ import annotations

from typing import Any

KNOWN = {
    "$ref", "additionalProperties", "anyOf", "const", "default", "description", "enum", "items", "maximum",
    "maxItems", "maxLength", "minimum", "minLength", "properties", "required", "title", "type",
}  # fmt: skip
TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


def complaints(document: Any, schema: Any, value: Any, where: str = "$") -> list[str]:
    """The problems with the value, as text; none if it is valid."""
    if unknown := set(schema) - KNOWN:
        return [f"{where}: this checker does not know {sorted(unknown)}"]
    if "$ref" in schema:
        return complaints(document, resolve(document, schema["$ref"]), value, where)
    if "anyOf" in schema:
        tried = [complaints(document, option, value, where) for option in schema["anyOf"]]
        return [] if [] in tried else min(tried, key=len)
    if "const" in schema and value != schema["const"]:
        return [f"{where}: {value!r} is not {schema['const']!r}"]
    if "enum" in schema and value not in schema["enum"]:
        return [f"{where}: {value!r} is none of {schema['enum']}"]
    if "type" in schema and not is_a(value, schema["type"]):
        return [f"{where}: {value!r} is not of type {schema['type']}"]
    found = []
    if isinstance(value, dict):
        found += object_complaints(document, schema, value, where)
    if isinstance(value, list) and "items" in schema:
        for number, item in enumerate(value):
            found += complaints(document, schema["items"], item, f"{where}[{number}]")
    return found


def object_complaints(document: Any, schema: Any, value: dict[str, Any], where: str) -> list[str]:
    properties = schema.get("properties", {})
    more = schema.get("additionalProperties", True)
    found = [f"{where}: {name} is missing" for name in schema.get("required", ()) if name not in value]
    for name, inner in value.items():
        if name in properties:
            found += complaints(document, properties[name], inner, f"{where}.{name}")
        elif more is False:
            found.append(f"{where}: {name} is not described")
        elif isinstance(more, dict):
            found += complaints(document, more, inner, f"{where}.{name}")
    return found


def resolve(document: Any, reference: str) -> Any:
    found = document
    for part in reference.removeprefix("#/").split("/"):
        found = found[part]
    return found


def is_a(value: Any, name: str) -> bool:
    return isinstance(value, TYPES[name]) and (name == "boolean" or not isinstance(value, bool))
