import json
import re

import pytest

from bethink.engine import Bethink
from bethink.operation import operations
from bethink.principal import Permission, confined, owner
from bethink.surfaces.instructions import instructions
from bethink.surfaces.mcp import described
from bethink.surfaces.schemas import input_schema
from bethink.surfaces.toolsets import FULL, shown

OWNER = owner("team:acme", home="user:ada")
CONFINED = confined("team:acme")
SHOWN = shown(FULL, OWNER)
REFUSED = ('"$ref"', '"$defs"', '"anyOf"', '"oneOf"', '"allOf"', '"title": "', '"null"')
TYPES = {"string", "integer", "number", "boolean", "array", "object"}


def wire(operation, principal=OWNER):
    return described(operation, principal).model_dump(by_alias=True, mode="json", exclude_none=True)


def size(value):
    return len(json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode())


def nodes(schema):
    yield schema
    for part in schema.get("properties", {}).values():
        yield from nodes(part)
    if "items" in schema:
        yield from nodes(schema["items"])


@pytest.mark.parametrize("tool", SHOWN)
@pytest.mark.parametrize("side", ["inputSchema", "outputSchema"])
def test_every_schema_is_one_that_every_client_takes(tool, side):
    schema = wire(SHOWN[tool])[side]

    text = json.dumps(schema)
    assert schema["type"] == "object"
    assert not [word for word in REFUSED if word in text]
    for node in nodes(schema):
        assert all(re.fullmatch("[A-Za-z0-9_]{1,64}", name) for name in node.get("properties", {}))
        assert node.get("type", "string") in TYPES
        assert ("items" in node) == (node.get("type") == "array")


@pytest.mark.parametrize("tool", SHOWN)
def test_every_input_has_a_type_and_the_folded_ones_a_grammar(tool):
    properties = wire(SHOWN[tool])["inputSchema"]["properties"]

    assert all(part.get("type") for part in properties.values())
    assert all(":" in properties[fold]["description"] for fold in ("filter", "options") if fold in properties)


@pytest.mark.parametrize("tool", SHOWN)
def test_every_tool_says_what_it_may_do(tool):
    described = wire(SHOWN[tool])

    assert described["title"]
    assert described["description"]
    assert set(described["annotations"]) == {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
    assert described["annotations"]["openWorldHint"] is False


@pytest.mark.parametrize("tool", SHOWN)
def test_no_tool_costs_more_than_a_model_should_pay(tool):
    assert size(wire(SHOWN[tool])) <= 2_800


def test_the_core_set_costs_at_most_24_kilobytes():
    assert sum(size(wire(op)) for op in shown("core", OWNER).values()) <= 24_000


def test_recall_shows_fifteen_parameters_at_most():
    assert len(wire(SHOWN["memory_recall"])["inputSchema"]["properties"]) <= 15


def test_a_confined_principal_is_shown_no_parameter_that_names_a_namespace():
    named = {name for op in operations(Bethink).values() for name in input_schema(op, CONFINED)["properties"]}

    assert named
    assert not [name for name in named if "namespace" in name or name in {"reach", "scope"}]


@pytest.mark.parametrize(("may", "is_shown"), [((), False), ((Permission.erase,), True)])
def test_what_erases_is_shown_only_to_who_may_erase(may, is_shown):
    writer = confined("team:acme", permissions=(Permission.write, *may))

    tool = wire(SHOWN["memory_forget"], writer)

    assert ({"hard", "token"} <= tool["inputSchema"]["properties"].keys()) is is_shown
    assert ("hard" in json.dumps(tool)) is is_shown


def test_a_principal_that_may_only_read_is_shown_only_what_reads():
    reader = confined("team:acme", permissions=())

    tools = shown(FULL, reader)

    assert {"memory_recall", "memory_entities", "memory_gaps"} <= tools.keys()
    assert {wire(op, reader)["annotations"]["readOnlyHint"] for op in tools.values()} == {True}
    assert not {"others", "to", "memory", "entities", "relations"} & {
        *input_schema(tools["memory_entities"], reader)["properties"]
    }


def test_filters_that_are_not_served_yet_are_not_shown():
    assert "groundedness" not in wire(SHOWN["memory_recall"])["inputSchema"]["properties"]["filter"]["description"]


@pytest.mark.parametrize("toolsets", ["core", FULL])
def test_the_instructions_are_short_and_name_only_tools_that_are_shown(toolsets):
    tools = shown(toolsets, OWNER)

    text = instructions(tools)

    assert len(text.encode()) <= 1_200
    assert set(re.findall(r"memory_\w+", text)) <= set(tools)
