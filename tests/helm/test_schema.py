"""values.schema.json: a value nobody knows is an error, everywhere but inside the daemon's own configuration."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.helm.chart import CHART, Chart, example

MINIMAL = example("minimal")
SCHEMA: dict[str, Any] = json.loads((CHART / "values.schema.json").read_text())
VALUES: dict[str, Any] = yaml.safe_load((CHART / "values.yaml").read_text())
PASSED_ON = {"nodeAffinity", "podAffinity", "podAntiAffinity"}  # Kubernetes' own trees, checked by Kubernetes


def objects(schema: Any, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object of the schema with its place, but the configuration and what Helm and Kubernetes own."""
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield path, schema
        for key, item in schema.items():
            if path != "properties" or key not in ("config", "global"):
                yield from objects(item, f"{path}.{key}".lstrip("."))


def test_every_object_says_what_it_may_hold() -> None:
    loose = [
        path
        for path, schema in objects(SCHEMA, "")
        if path.split(".")[-1] not in PASSED_ON and schema.get("additionalProperties", True) is True
    ]
    assert loose == []


def keys_of(schema: dict[str, Any]) -> dict[str, Any]:
    if reference := schema.get("$ref"):
        schema = SCHEMA["definitions"][reference.split("/")[-1]]
    return {key: keys_of(item) for key, item in schema.get("properties", {}).items()}


def assert_same_keys(values: dict[str, Any], keys: dict[str, Any], path: str) -> None:
    assert set(values) == set(keys), path or "values.yaml"
    for key, value in values.items():
        if isinstance(value, dict) and value and path + key not in ("config", "resources", "dashboards.resources"):
            assert_same_keys(value, keys[key], f"{path}{key}.")


def test_values_and_schema_name_the_same_keys() -> None:
    known = {key: item for key, item in keys_of(SCHEMA).items() if key != "global"}
    assert_same_keys(VALUES, known, "")


@pytest.mark.parametrize(
    "values",
    [
        {"replica": 1},
        {"image": {"name": "driftd"}},
        {"dashboards": {"replicas": 2}},
        {"resources": {"limit": {"memory": "2Gi"}}},
        {"networkPolicy": {"api": [{"podSelektor": {}}]}},
        {"tolerations": [{"keys": "gpu"}]},
    ],
    ids=lambda values: next(iter(values)),
)
def test_an_unknown_key_is_refused(chart: Chart, values: dict[str, Any]) -> None:
    said = chart.refusal(MINIMAL, **values)
    assert "values don't meet the specifications of the schema" in said
    assert "additional properties" in said.lower()


@pytest.mark.parametrize(
    ("values", "place"),
    [
        ({"replicas": "one"}, "/replicas"),
        ({"persistence": {"accessMode": "ReadWriteMany"}}, "/persistence/accessMode"),
        ({"image": {"digest": "sha256:short"}}, "/image/digest"),
        ({"runAs": {"user": 0}}, "/runAs/user"),
        ({"networkPolicy": {"otlp": [{}]}}, "/networkPolicy/otlp/0"),
        ({"config": {"targets": {"mine": "text"}}}, "/config/targets/mine"),
        ({"configFiles": {"../support.md": ""}}, "/configFiles"),
    ],
)
def test_a_value_that_cannot_be_meant_is_refused_at_its_place(chart: Chart, values: dict[str, Any], place: str) -> None:
    said = chart.refusal(MINIMAL, **values)
    assert "values don't meet the specifications of the schema" in said
    assert place in said


def test_the_configuration_is_the_daemons_to_check(chart: Chart) -> None:
    assert chart.render(MINIMAL, config={"kafka": {"brokers": 3}}).config()["kafka"] == {"brokers": 3}
