"""Helm refuses values that would not run, or not safely. The message has the reason and the correction."""

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
    message = chart.refusal(MINIMAL, replicas=2)
    assert "replicas is 2: driftd runs as exactly one process, because a second one cannot open" in message
    assert "set replicas: 1" in message


def test_no_writer_is_refused_too(chart: Chart) -> None:
    assert "scale the StatefulSet to 0 with kubectl" in chart.refusal(MINIMAL, replicas=0)


def test_the_default_values_name_everything_that_must_be_set(chart: Chart) -> None:
    message = chart.refusal(CHART / "values.yaml")
    for sentence in (
        "image.repository is empty: driftd publishes no image",
        "config.api.tokens is empty: the daemon does not listen on loopback and needs tokens",
    ):
        assert sentence in message


def test_a_missing_secret_is_refused_with_every_key_that_needs_it(chart: Chart) -> None:
    message = chart.refusal(PRODUCTION, existingSecret="")
    for key in (
        "config.api.tokens[2].token_file",
        "config.sets.support-policy.key_file",
        "config.targets.support-model.api_key_file",
        "config.receivers.pager.url_file",
        "config.api.oidc.client_secret_file",
        "serviceMonitor.tokenKey",
    ):
        assert key in message
    assert "need it: create a Secret in the namespace of the release (kubectl create secret generic" in message


@pytest.mark.parametrize("key", ["system_prompt_file", "template_file", "body_file"])
def test_a_prompt_template_or_body_in_the_secret_needs_the_secret(chart: Chart, key: str) -> None:
    target = {"base_url": "http://m/v1", "model": "m", key: "/run/secrets/driftd/prompt"}
    message = chart.refusal(example("without-dashboards"), config={"targets": {"m": target}})
    assert f"config.targets.m.{key} needs it" in message


def nested(path: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Return `settings` as the section at a path: `targets.NAME` or `api.tokens[]`, with the name `mine`."""
    for part in reversed(path.split(".")):
        settings = {part.removesuffix("[]").replace("NAME", "mine"): [settings] if part.endswith("[]") else settings}
    return settings


def written(path: str, key: str) -> str:
    return f"config.{path}.{key}".replace("[]", "[0]").replace("NAME", "mine")


# Every secret key of the settings, and every key that names a file with a secret: path of the section, key.
# Headers and environment variables are left out: most are not secrets, and those that are use ${ENV}.
PLAIN = sorted(
    {
        (path, key)
        for path, model in sections(Config, "")
        for key, field in model.model_fields.items()
        if SecretStr in (field.annotation, *typing.get_args(field.annotation))
        and typing.get_origin(field.annotation) is not dict
    }
)
PROMPTS = ("system_prompt_file", "template_file", "body_file")
TEXTS = (*PROMPTS, "title_file", "summary_file", "text_file", "html_file")
FILES = sorted(
    {(path, key) for path, model in sections(Config, "") for key in getattr(model, "FILES", {}) if key not in TEXTS}
)


def test_the_daemon_and_the_chart_have_the_same_secrets() -> None:
    assert {("targets.NAME", "api_key"), ("sets.NAME", "key"), ("receivers.NAME", "url")} <= set(PLAIN)
    assert {key for _, key in FILES} == SECRET_FILE_KEYS
    assert {(path, f"{key}_file") for path, key in PLAIN} | {("api.tokens[]", "token_file")} == set(FILES)


@pytest.mark.parametrize(("path", "key"), PLAIN)
def test_a_secret_in_plain_text_is_refused_and_not_quoted(chart: Chart, path: str, key: str) -> None:
    message = chart.refusal(MINIMAL, config=nested(path, {key: "hunter2"}))
    assert f"{written(path, key)} would be readable in a ConfigMap" in message
    assert f"{key}_file: /run/secrets/driftd/KEY" in message
    assert "hunter2" not in message


@pytest.mark.parametrize(("path", "key"), FILES)
@pytest.mark.parametrize("file", ["mine.key", "/etc/driftd/mine.key"])
def test_a_secret_file_outside_the_mounted_secret_is_refused(chart: Chart, path: str, key: str, file: str) -> None:
    message = chart.refusal(MINIMAL, config=nested(path, {key: file}))
    assert f"{written(path, key)} is {file}: the chart mounts secrets only in /run/secrets/driftd" in message


@pytest.mark.parametrize(("path", "key"), FILES)
def test_a_secret_file_needs_the_secret(chart: Chart, path: str, key: str) -> None:
    settings = nested(path, {key: "/run/secrets/driftd/mine"})
    message = chart.refusal(example("without-dashboards"), config=settings)
    assert f"existingSecret is empty, and {written(path, key)} needs it" in message


@pytest.mark.parametrize("key", ["api", "ingest.otlp", "ingest.otlp_grpc"])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
def test_a_host_that_no_client_reaches_is_refused(chart: Chart, key: str, host: str) -> None:
    message = chart.refusal(MINIMAL, config=at(key, {"host": host}))
    assert f"config.{key}.host is {host}: Services and probes use the address of the pod; set 0.0.0.0" in message


@pytest.mark.parametrize("key", ["api", "ingest.otlp", "ingest.otlp_grpc"])
def test_a_port_that_changes_at_every_start_is_refused(chart: Chart, key: str) -> None:
    message = chart.refusal(MINIMAL, config=at(key, {"port": 0}))
    assert f"config.{key}.port is 0: a Service needs a fixed port" in message


def at(key: str, settings: dict[str, Any]) -> dict[str, Any]:
    return {"api": settings} if key == "api" else {"ingest": {key.removeprefix("ingest."): settings}}


@pytest.mark.parametrize("path", ["data/driftd.duckdb", "/tmp/driftd.duckdb", "/var/lib/driftd.duckdb"])
def test_a_database_outside_the_volume_is_refused(chart: Chart, path: str) -> None:
    message = chart.refusal(MINIMAL, config={"store": {"path": path}})
    assert f"config.store.path is {path}: only the volume /var/lib/driftd is persistent" in message


@pytest.mark.parametrize("key", PROMPTS)
def test_a_missing_prompt_template_or_body_file_is_refused(chart: Chart, key: str) -> None:
    message = chart.refusal(PRODUCTION, config={"targets": {"support-model": {key: "sales.md"}}})
    assert f"config.targets.support-model.{key} is sales.md, which is not in configFiles" in message


def test_a_second_driftd_yaml_is_refused(chart: Chart) -> None:
    assert "configFiles contains driftd.yaml" in chart.refusal(MINIMAL, configFiles={"driftd.yaml": "api: {}"})


@pytest.mark.parametrize("where", ["commonLabels", "podLabels", "dashboards.podLabels"])
def test_a_label_that_selects_pods_cannot_be_changed(chart: Chart, where: str) -> None:
    labels: dict[str, Any] = {where.removeprefix("dashboards."): {"app.kubernetes.io/name": "other"}}
    message = chart.refusal(MINIMAL, **({"dashboards": labels} if where.startswith("dashboards.") else labels))
    assert f"{where} sets app.kubernetes.io/name, which the chart sets itself" in message


def test_an_ingress_without_a_host_is_refused(chart: Chart) -> None:
    assert "no host of ingress.hosts is set" in chart.refusal(MINIMAL, ingress={"enabled": True})


def test_an_ingress_to_disabled_dashboards_is_refused(chart: Chart) -> None:
    message = chart.refusal(PRODUCTION, dashboards={"enabled": False})
    assert "ingress.hosts.dashboards is driftd.example.com, but dashboards.enabled is false" in message


def test_all_problems_are_reported_together(chart: Chart) -> None:
    message = chart.refusal(MINIMAL, replicas=3, existingSecret="", config={"store": {"path": "x"}})
    assert all(part in message for part in ("replicas is 3", "existingSecret is empty", "config.store.path is x"))


SHARED: dict[str, Any] = {"tokenKey": "pages-token"}


@pytest.mark.parametrize("role", ["reveal", "admin"])
def test_readers_without_a_login_cannot_reveal_unless_the_values_say_so(chart: Chart, role: str) -> None:
    tokens = [{"name": "pages", "token_file": "/run/secrets/driftd/pages-token", "roles": ["read", role]}]
    config = {"api": {"tokens": tokens}}
    message = chart.refusal(MINIMAL, config=config, dashboards=SHARED)
    assert f"dashboards.tokenKey is the token pages with the roles read, {role}" in message
    assert "set dashboards.allowReveal: true" in message
    chart.render(MINIMAL, config=config, dashboards={**SHARED, "allowReveal": True})


@pytest.mark.parametrize(
    ("config", "key"),
    [
        ({"targets": {"m": {"base_url": "http://m/v1", "model": "m"}}}, "models"),
        ({"ingest": {"kafka": {"k": {"bootstrap_servers": ["k:9092"], "topics": {"t": {}}}}}}, "kafka"),
        ({"receivers": {"pager": {"kind": "webhook", "url_file": "/run/secrets/driftd/url"}}}, "receivers"),
        ({"api": {"oidc": {"client_secret_file": "/run/secrets/driftd/oidc"}}}, "oidc"),
        ({"telemetry": {"otlp_endpoint": "http://collector:4318"}}, "other"),
    ],
)
def test_a_connection_that_the_network_policy_denies_is_refused(chart: Chart, config: Any, key: str) -> None:
    policy: dict[str, Any] = {"enabled": True}
    message = chart.refusal(MINIMAL, config=config, networkPolicy=policy)
    assert f"because networkPolicy.egress.{key} is empty; add a rule" in message
    rule = {"to": [{"ipBlock": {"cidr": "203.0.113.0/24"}}], "ports": [443]}
    for egress in ({key: [rule]}, {"enabled": False}):
        assert (
            "networkPolicy"
            not in chart.template(MINIMAL, config=config, networkPolicy={**policy, "egress": egress}).stderr
        )


@pytest.mark.parametrize("part", ["", "dashboards."])
@pytest.mark.parametrize(
    ("values", "problem"),
    [
        (
            {"extraVolumes": [{"name": "tmp", "emptyDir": {}}]},
            "extraVolumes contains tmp, the name of a volume of the chart",
        ),
        ({"extraVolumeMounts": [{"name": "ca", "mountPath": "/ca"}]}, "extraVolumeMounts contains ca, which is not in"),
        (
            {"extraVolumeMounts": [{"name": "tmp", "mountPath": "/tmp/"}]},
            "extraVolumeMounts mounts tmp on /tmp/, where the chart mounts",
        ),
        ({"extraEnv": [{"name": "HOME", "value": "/"}]}, "extraEnv sets HOME, which the chart sets itself"),
    ],
    ids=["name", "missing", "path", "variable"],
)
def test_an_extra_that_collides_with_the_chart_is_refused(chart: Chart, part: str, values: Any, problem: str) -> None:
    assert f"{part}{problem}" in chart.refusal(MINIMAL, **({"dashboards": values} if part else values))


def test_a_route_without_a_host_or_a_gateway_is_refused(chart: Chart) -> None:
    message = chart.refusal(MINIMAL, gateway={"enabled": True})
    assert "no host of gateway.hosts is set" in message
    assert "gateway.parentRefs is empty; name the Gateway" in message
    hosts = {"hosts": {"dashboards": "d.example.com"}}
    message = chart.refusal(MINIMAL, dashboards={"enabled": False}, gateway={"enabled": True, **hosts})
    assert "gateway.hosts.dashboards is d.example.com, but dashboards.enabled is false" in message
