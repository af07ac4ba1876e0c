"""What would not run, or not safely, is refused with a sentence that says why and what to do."""

import typing
from typing import Any

import pytest
from pydantic import SecretStr

from monitor.config.describe import sections
from monitor.config.secret_files import SECRET_FILE_KEYS
from monitor.config.tree import Config
from tests.helm.chart import CHART, Chart, example

MINIMAL, PRODUCTION = example("minimal"), example("production")


def test_a_second_writer_is_refused(chart: Chart) -> None:
    said = chart.refusal(MINIMAL, replicas=2)
    assert "replicas is 2: driftd runs as exactly one process, because one process owns the DuckDB file" in said
    assert "set replicas: 1" in said


def test_no_writer_is_refused_too(chart: Chart) -> None:
    assert "scale the StatefulSet to 0 with kubectl" in chart.refusal(MINIMAL, replicas=0)


def test_the_chart_as_it_comes_says_everything_that_must_be_set(chart: Chart) -> None:
    said = chart.refusal(CHART / "values.yaml")
    for sentence in (
        "image.repository is empty: driftd publishes no image",
        "config.api.tokens is empty: the daemon listens beyond loopback here and refuses to start without tokens",
        "existingSecret is empty, and dashboards.tokenKey needs it: make a Secret",
    ):
        assert sentence in said


def test_a_missing_secret_is_refused_with_every_key_that_needs_it(chart: Chart) -> None:
    said = chart.refusal(PRODUCTION, existingSecret="")
    for key in (
        "config.api.tokens[3].token_file",
        "config.sets.support-policy.key_file",
        "config.targets.support-model.api_key_file",
        "config.receivers.pager.url_file",
        "dashboards.tokenKey",
        "serviceMonitor.tokenKey",
    ):
        assert key in said
    assert "need it: make a Secret in the release's namespace (kubectl create secret generic" in said


@pytest.mark.parametrize("key", ["system_prompt_file", "template_file", "body_file"])
def test_a_prompt_template_or_body_in_the_secret_needs_the_secret(chart: Chart, key: str) -> None:
    target = {"base_url": "http://m/v1", "model": "m", key: "/run/secrets/driftd/prompt"}
    said = chart.refusal(example("without-dashboards"), config={"targets": {"m": target}})
    assert f"config.targets.m.{key} needs it" in said


def nested(path: str, settings: dict[str, Any]) -> dict[str, Any]:
    """A section of the configuration at its place: `targets.NAME` or `api.tokens[]`, whose name is `mine`."""
    for part in reversed(path.split(".")):
        settings = {part.removesuffix("[]").replace("NAME", "mine"): [settings] if part.endswith("[]") else settings}
    return settings


def written(path: str, key: str) -> str:
    return f"config.{path}.{key}".replace("[]", "[0]").replace("NAME", "mine")


# Every secret of the daemon's settings, and every key that names a file with one: path of the section, key.
# Headers and variables by name may be secrets and mostly are none; those that are stand there as ${ENV}.
PLAIN = sorted(
    {
        (path, key)
        for path, model in sections(Config, "")
        for key, field in model.model_fields.items()
        if SecretStr in (field.annotation, *typing.get_args(field.annotation))
        and typing.get_origin(field.annotation) is not dict
    }
)
TEXTS = ("system_prompt_file", "template_file", "body_file")
FILES = sorted(
    {(path, key) for path, model in sections(Config, "") for key in getattr(model, "FILES", {}) if key not in TEXTS}
)


def test_the_daemon_has_secrets_and_agrees_on_what_they_are() -> None:
    assert {("targets.NAME", "api_key"), ("sets.NAME", "key"), ("receivers.NAME", "url")} <= set(PLAIN)
    assert {key for _, key in FILES} == SECRET_FILE_KEYS
    assert {(path, f"{key}_file") for path, key in PLAIN} | {("api.tokens[]", "token_file")} == set(FILES)


@pytest.mark.parametrize(("path", "key"), PLAIN)
def test_a_secret_in_plain_is_refused_and_not_repeated(chart: Chart, path: str, key: str) -> None:
    said = chart.refusal(MINIMAL, config=nested(path, {key: "hunter2"}))
    assert f"{written(path, key)} would stand readable in a ConfigMap" in said
    assert f"{key}_file: /run/secrets/driftd/KEY" in said
    assert "hunter2" not in said


@pytest.mark.parametrize(("path", "key"), FILES)
@pytest.mark.parametrize("place", ["mine.key", "/etc/driftd/mine.key"])
def test_a_secret_file_outside_of_the_mounted_secret_is_refused(chart: Chart, path: str, key: str, place: str) -> None:
    said = chart.refusal(MINIMAL, config=nested(path, {key: place}))
    assert f"{written(path, key)} is {place}: the chart mounts secrets below /run/secrets/driftd alone" in said


@pytest.mark.parametrize(("path", "key"), FILES)
def test_a_secret_file_needs_the_secret(chart: Chart, path: str, key: str) -> None:
    settings = nested(path, {key: "/run/secrets/driftd/mine"})
    said = chart.refusal(example("without-dashboards"), config=settings)
    assert f"existingSecret is empty, and {written(path, key)} needs it" in said


@pytest.mark.parametrize("key", ["api", "ingest.otlp", "ingest.otlp_grpc"])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
def test_a_bind_that_nobody_reaches_is_refused(chart: Chart, key: str, host: str) -> None:
    said = chart.refusal(MINIMAL, config=at(key, {"host": host}))
    assert f"config.{key}.host is {host}: Services and probes reach the pod at its own address; set 0.0.0.0" in said


@pytest.mark.parametrize("key", ["api", "ingest.otlp", "ingest.otlp_grpc"])
def test_a_port_that_changes_at_every_start_is_refused(chart: Chart, key: str) -> None:
    said = chart.refusal(MINIMAL, config=at(key, {"port": 0}))
    assert f"config.{key}.port is 0: a Service needs a port that stays" in said


def at(key: str, settings: dict[str, Any]) -> dict[str, Any]:
    return {"api": settings} if key == "api" else {"ingest": {key.removeprefix("ingest."): settings}}


@pytest.mark.parametrize("path", ["data/driftd.duckdb", "/tmp/driftd.duckdb", "/var/lib/driftd.duckdb"])
def test_a_database_outside_of_the_volume_is_refused(chart: Chart, path: str) -> None:
    said = chart.refusal(MINIMAL, config={"store": {"path": path}})
    assert f"config.store.path is {path}: only /var/lib/driftd is the volume that outlives the pod" in said


@pytest.mark.parametrize("key", TEXTS)
def test_a_prompt_template_or_body_file_that_is_not_there_is_refused(chart: Chart, key: str) -> None:
    said = chart.refusal(PRODUCTION, config={"targets": {"support-model": {key: "sales.md"}}})
    assert f"config.targets.support-model.{key} is sales.md, which is not among configFiles" in said


def test_a_second_driftd_yaml_is_refused(chart: Chart) -> None:
    assert "configFiles names driftd.yaml" in chart.refusal(MINIMAL, configFiles={"driftd.yaml": "api: {}"})


@pytest.mark.parametrize("where", ["podLabels", "dashboards.podLabels"])
def test_a_label_that_selects_pods_stays_the_charts_own(chart: Chart, where: str) -> None:
    labels: dict[str, Any] = {"podLabels": {"app.kubernetes.io/name": "other"}}
    said = chart.refusal(MINIMAL, **(labels if where == "podLabels" else {"dashboards": labels}))
    assert f"{where} sets app.kubernetes.io/name, which is the chart's own" in said


def test_an_ingress_without_a_host_is_refused(chart: Chart) -> None:
    assert "none of ingress.hosts is set" in chart.refusal(MINIMAL, ingress={"enabled": True})


def test_an_ingress_to_dashboards_that_are_off_is_refused(chart: Chart) -> None:
    said = chart.refusal(PRODUCTION, dashboards={"enabled": False})
    assert "ingress.hosts.dashboards is driftd.example.com, and dashboards.enabled is false" in said


def test_several_mistakes_are_told_at_once(chart: Chart) -> None:
    said = chart.refusal(MINIMAL, replicas=3, existingSecret="", config={"store": {"path": "x"}})
    assert all(part in said for part in ("replicas is 3", "existingSecret is empty", "config.store.path is x"))
