"""values.schema.json refuses every unknown value, except in the configuration of the daemon."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from helm import describe
from monitor.generated_docs import stale
from tests.helm.chart import CHART, Chart, example

MINIMAL = example("minimal")
SCHEMA: dict[str, Any] = json.loads((CHART / "values.schema.json").read_text())
# The configuration of the daemon and objects of Kubernetes, which validate their content themselves.
PASSED_ON = {
    "config",
    "nodeAffinity",
    "podAffinity",
    "podAntiAffinity",
    "valueFrom",
    "tlsConfig",
    "volumes",
    "containers",
}


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
        if not PASSED_ON & set(path.split(".")) and schema.get("additionalProperties", True) is True
    ]
    assert loose == []


def test_the_schema_and_the_table_of_values_are_current() -> None:
    assert stale(CHART, describe.documents()) == []


def test_a_value_without_a_type_is_an_error() -> None:
    with pytest.raises(ValueError, match="tolerations needs a line @schema"):
        describe.json_schema(describe.read("# Text.\ntolerations: []\n"), {})


def test_the_generator_reads_comments_types_and_defaults() -> None:
    values = describe.read(
        "# A file.\n\n# Two lines\n# of text.\n# @schema name\na: x\nb:\n  # Inner.\n  c: 1 # not this\n  d: true\n"
    )
    properties = json.loads(describe.json_schema(values, {}))["properties"]
    assert properties["a"] == {"description": "Two lines of text.", "allOf": [{"$ref": "#/definitions/name"}]}
    assert properties["b"] == {
        "type": "object",
        "additionalProperties": False,
        "properties": {"c": {"description": "Inner.", "type": "integer"}, "d": {"type": "boolean"}},
    }
    assert describe.table(values).splitlines()[2:] == [
        '| `a` | `"x"` | Two lines of text. |',
        "| `b.c` | `1` | Inner. |",
        "| `b.d` | `true` |  |",
    ]


@pytest.mark.parametrize(
    "values",
    [
        {"replica": 1},
        {"image": {"name": "driftd"}},
        {"dashboards": {"replicas": 2}},
        {"resources": {"limit": {"memory": "2Gi"}}},
        {"networkPolicy": {"api": [{"podSelektor": {}}]}},
        {"tolerations": [{"keys": "gpu"}]},
        {"extraEnv": [{"name": "A", "val": "b"}]},
        {"gateway": {"parentRefs": [{"name": "public", "section": "https"}]}},
        {"imagePullSecrets": [{"secret": "registry"}]},
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
        ({"extraEnv": [{"name": "A", "value": 1}]}, "/extraEnv/0/value"),
        ({"extraVolumes": [{"name": "host", "hostPath": {"path": "/"}}]}, "/extraVolumes/0/hostPath"),
        ({"extraVolumeMounts": [{"name": "a", "mountPath": "relative"}]}, "/extraVolumeMounts/0/mountPath"),
        ({"extraContainers": [{"name": "a"}]}, "/extraContainers/0"),
        ({"persistence": {"retentionPolicy": {"whenDeleted": "Keep"}}}, "/persistence/retentionPolicy/whenDeleted"),
        ({"tmpSize": "many"}, "/tmpSize"),
        ({"commonLabels": {"team": "a b"}}, "/commonLabels/team"),
        ({"networkPolicy": {"egress": {"models": [{"to": [], "ports": [443]}]}}}, "/networkPolicy/egress/models/0/to"),
        (
            {"networkPolicy": {"egress": {"kafka": [{"to": [{"ipBlock": {"cidr": "10.0.0.1"}}], "ports": [9092]}]}}},
            "/cidr",
        ),
        ({"topologySpreadConstraints": [{"topologyKey": "zone"}]}, "/topologySpreadConstraints/0"),
        ({"prometheusRule": {"runbookUrl": "wiki"}}, "/prometheusRule/runbookUrl"),
        ({"serviceMonitor": {"interval": "often"}}, "/serviceMonitor/interval"),
    ],
)
def test_an_invalid_value_is_refused_with_its_path(chart: Chart, values: dict[str, Any], path: str) -> None:
    message = chart.refusal(MINIMAL, **values)
    assert "values don't meet the specifications of the schema" in message
    assert path in message


def test_the_daemon_and_not_the_chart_checks_the_configuration(chart: Chart) -> None:
    assert chart.render(MINIMAL, config={"kafka": {"brokers": 3}}).config()["kafka"] == {"brokers": 3}
