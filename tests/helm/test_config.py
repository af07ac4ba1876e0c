"""The rendered driftd.yaml has the content of `config`, and the daemon loads it."""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from monitor.config.load import load
from monitor.config.model_targets import OpenAITarget
from monitor.config.secret_files import SECRET_FILE_KEYS
from monitor.config.tree import Config
from replay.evalsets.sealing import key_text, new_key
from tests.helm.chart import FILE_EXAMPLES, LAKE, SECRETS, Chart, Rendered, example

MINIMAL, PRODUCTION = example("minimal"), example("production")


def load_rendered(rendered: Rendered, folder: Path) -> Config:
    """Load the ConfigMap like the daemon, with the files of the Secret in `folder`."""
    secrets = folder / "secrets"
    secrets.mkdir()
    config = rendered.config()
    sections = [*config["api"]["tokens"], *config.get("targets", {}).values(), *config.get("receivers", {}).values()]
    sections += config["ingest"].get("kafka", {}).values()
    sections += [config["api"]["oidc"]] if "oidc" in config["api"] else []
    sections += [config["store"], config["store"].get("object_store", {}), config.get("redaction", {})]
    urls = {f"{SECRETS}lake-url": "postgresql://driftd:secret@postgresql.databases/driftd"}
    for section in sections:
        for key in section.keys() & SECRET_FILE_KEYS:
            other = "https://pager.example.com/hook" if key == "url_file" else f"text of {section[key]}"
            text = urls.get(section[key], other)
            (secrets / section[key].removeprefix(SECRETS)).write_text(text)
    for section in config.get("sets", {}).values():
        if "key_file" in section:
            (secrets / section["key_file"].removeprefix(SECRETS)).write_text(key_text(new_key()))
    pods = rendered.pods()
    mounts = (pods.get("daemon") or pods["control"])["spec"]["containers"][0]["volumeMounts"]
    for name, rendered_text in rendered.one("ConfigMap")["data"].items():
        text = rendered_text
        for extra in re.findall(r'"(/etc/[a-z/.-]+)"', text):  # certificates, in volumes of the values
            assert str(Path(extra).parent) in {mount["mountPath"] for mount in mounts}
            (secrets / Path(extra).name).write_text("a certificate")
            text = text.replace(extra, str(secrets / Path(extra).name))
        (folder / name).write_text(text.replace(SECRETS, f"{secrets}/"))
    return load(folder / "driftd.yaml", {})


@pytest.mark.parametrize("path", FILE_EXAMPLES, ids=lambda path: path.stem)
def test_the_daemon_loads_every_example(chart: Chart, path: Path, tmp_path: Path) -> None:
    config = load_rendered(chart.render(path), tmp_path)
    assert {config.api.host, config.ingest.otlp.host, config.ingest.otlp_grpc.host} == {"0.0.0.0"}
    assert config.store.path == Path("/var/lib/driftd/driftd.duckdb")
    assert config.api.tokens


def test_the_processes_of_a_lake_load_its_example(chart: Chart, tmp_path: Path) -> None:
    config = load_rendered(chart.render(LAKE), tmp_path)
    assert config.store.address is not None
    assert config.store.address.shown == "postgresql://driftd@postgresql.databases/driftd"
    assert (config.store.data, config.store.folder) == ("/srv/driftd/lake", Path("/srv/driftd/shared"))
    assert config.redaction.salt is not None
    assert config.ingest.kafka["events"].group == "driftd"


def test_a_lake_may_have_its_files_in_an_object_store(chart: Chart, tmp_path: Path) -> None:
    access = {
        "endpoint": "https://minio.example.com:9000",
        "access_key_id": "driftd",
        "secret_access_key_file": f"{SECRETS}s3-secret",
    }
    rendered = chart.render(
        LAKE,
        config={"store": {"data": "s3://driftd/lake", "object_store": access}},
        roles={"dataClaim": ""},
        networkPolicy={"egress": {"objects": [{"to": [{"ipBlock": {"cidr": "10.0.0.7/32"}}], "ports": [9000]}]}},
    )
    config = load_rendered(rendered, tmp_path)
    assert config.store.object_store.secret_access_key is not None
    assert config.store.object_store.secret_access_key.get_secret_value() == f"text of {SECRETS}s3-secret"
    assert "/srv/driftd/lake" not in str(rendered.pods())
    for name in ("control", "init"):
        rules = rendered.one("NetworkPolicy", f"night-driftd-{name}")["spec"]["egress"]
        assert 9000 in {port["port"] for rule in rules for port in rule["ports"]}


def test_the_production_example_reaches_the_configuration(chart: Chart, tmp_path: Path) -> None:
    config = load_rendered(chart.render(PRODUCTION), tmp_path)
    target = config.targets["support-model"]
    assert isinstance(target, OpenAITarget)
    assert target.system_prompt == "You answer questions about our return policy. End with [Yes] or [No]."
    assert target.api_key is not None
    assert target.api_key.get_secret_value() == "text of /run/secrets/driftd/model-key"
    assert (target.prompt and target.prompt.version, target.temperature, target.max_tokens) == ("7", 0.0, 300)
    assert config.alerts.repeat_s == 3600
    assert config.schedules["nightly"].cron == "0 2 * * *"
    assert [token.name for token in config.api.tokens] == ["support-bot", "prometheus", "on-call"]
    assert config.store.memory_limit_mb == 2048


def test_a_very_small_number_stays_a_number(chart: Chart, tmp_path: Path) -> None:
    deployments = {"support-bot": {"drift": {"alpha_unannounced": 0.00001}}}
    config = load_rendered(chart.render(PRODUCTION, config={"deployments": deployments}), tmp_path)
    assert config.deployments["support-bot"].drift.alpha_unannounced == 0.00001


def test_a_default_of_the_chart_can_be_removed(chart: Chart) -> None:
    assert "port" not in chart.render(MINIMAL, config={"api": {"port": None}}).config()["api"]


PLAIN = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]))
SCALARS = PLAIN | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.decimals(-1e6, 1e6, places=3).map(float)
TRICKY = st.sampled_from(
    [
        "Yes",
        "no",
        "on",
        "null",
        "~",
        "=",
        "<<",
        "2026-11-21",
        "12:30:00",
        "0440",
        "1e3",
        "7",
        "{{ x }}",
        "${A}",
        "#",
        "*a",
    ]
)
TREES = st.recursive(
    SCALARS | TRICKY, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(PLAIN | TRICKY, inner, max_size=4)
)
NO_SHRINKING = (Phase.explicit, Phase.reuse, Phase.generate)  # every example starts helm
ONE_HELM = (HealthCheck.function_scoped_fixture,)  # the examples may share the fixture `chart`


@settings(max_examples=15, deadline=None, phases=NO_SHRINKING, suppress_health_check=ONE_HELM)
@given(items=st.lists(TREES, min_size=5, max_size=20))
def test_values_arrive_unchanged(chart: Chart, items: list[Any]) -> None:
    assert chart.render(MINIMAL, config={"anything": items}).config()["anything"] == items


def test_the_pods_restart_when_the_configuration_changes(chart: Chart) -> None:
    def checksum(**values: Any) -> str:
        annotations = chart.render(PRODUCTION, **values).pods()["daemon"]["metadata"]["annotations"]
        return str(annotations["checksum/config"])

    before = checksum()
    assert checksum(podAnnotations={"team": "support"}) == before
    assert checksum(config={"alerts": {"repeat_s": 7200}}) != before
    assert checksum(configFiles={"support.md": "Say no."}) != before
