"""values.schema.json refuses every unknown value, except in the configuration of the daemon."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.helm.chart import CHART, Chart, example

MINIMAL = example("minimal")
SCHEMA: dict[str, Any] = json.loads((CHART / "values.schema.json").read_text())
VALUES: dict[str, Any] = yaml.safe_load((CHART / "values.yaml").read_text())
PASSED_ON = {"nodeAffinity", "podAffinity", "podAntiAffinity"}  # objects of Kubernetes, validated by Kubernetes


def objects(schema: Any, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every object of the schema with its path, except the configuration and objects of Helm and Kubernetes."""
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield path, schema
        for key, item in schema.items():
            if path != "properties" or key not in ("config", "global"):
                yield from objects(item, f"{path}.{key}".lstrip("."))


def test_every_object_lists_its_keys() -> None:
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
    message = chart.refusal(MINIMAL, **values)
    assert "values don't meet the specifications of the schema" in message
    assert "additional properties" in message.lower()


@pytest.mark.parametrize(
    ("values", "path"),
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
def test_an_invalid_value_is_refused_with_its_path(chart: Chart, values: dict[str, Any], path: str) -> None:
    message = chart.refusal(MINIMAL, **values)
    assert "values don't meet the specifications of the schema" in message
    assert path in message


def test_the_daemon_and_not_the_chart_checks_the_configuration(chart: Chart) -> None:
    assert chart.render(MINIMAL, config={"kafka": {"brokers": 3}}).config()["kafka"] == {"brokers": 3}
