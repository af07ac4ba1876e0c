"""Values that make sense only with a lake, or only without one, are refused with the correction."""

from typing import Any

import pytest

from tests.helm.chart import LAKE, Chart, example
from tests.helm.test_lake import STORE

MINIMAL = example("minimal")


@pytest.mark.parametrize(
    ("roles", "path"),
    [
        ({"work": {"replicas": 1}}, "roles.work.replicas"),
        ({"ingest": {"autoscaling": {"enabled": True}}}, "roles.ingest.autoscaling"),
        ({"api": {"nodeSelector": {"disk": "fast"}}}, "roles.api.nodeSelector"),
        ({"paused": True}, "roles.paused"),
        ({"sharedClaim": "driftd-shared"}, "roles.sharedClaim"),
        ({"init": {"retries": 1}}, "roles.init.retries"),
    ],
)
def test_a_value_of_a_role_without_a_lake_is_refused(chart: Chart, roles: dict[str, Any], path: str) -> None:
    message = chart.refusal(MINIMAL, roles=roles)
    assert f"{path} is set, but config.store names no lake, and one process has a file" in message
    assert message.count("is set, but") == 1


def test_the_defaults_of_the_roles_are_no_value_of_a_role(chart: Chart) -> None:
    rendered = chart.render(MINIMAL, roles={"ingest": {"replicas": 2}, "work": {"replicas": 0}})
    assert rendered.one("StatefulSet")


@pytest.mark.parametrize("key", ["data", "work_folder"])
def test_a_key_of_a_lake_without_a_database_is_refused(chart: Chart, key: str) -> None:
    message = chart.refusal(MINIMAL, config={"store": {key: "/srv/driftd/lake"}})
    assert f"config.store.{key} is for a lake, and config.store names no database: set also url_file" in message


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"replicas": 3}, "replicas is 3: with a lake each role has its own number"),
        (
            {"resources": {"limits": {"memory": "9Gi"}}},
            "resources.limits is set, but with a lake each role has its own",
        ),
        ({"persistence": {"size": "40Gi"}}, "persistence.size is set, but a lake creates no volume claim"),
        ({"persistence": {"existingClaim": "mine"}}, "persistence.existingClaim is set, but a lake creates no volume"),
        (
            {"persistence": {"retentionPolicy": {"whenScaled": "Delete"}}},
            "persistence.retentionPolicy is set, but a lake creates no volume claim",
        ),
        (
            {"config": {"store": {"path": "/var/lib/driftd/mine.duckdb"}}},
            "config.store has both path and url_file: a lake has no file; remove path",
        ),
        (
            {"config": {"store": {"backup_folder": "/tmp"}}},
            "config.store.backup_folder is for a file: remove it. Back up the PostgreSQL database and the data",
        ),
        ({"config": {"store": {"disk_reserve_mb": 0}}}, "config.store.disk_reserve_mb is for a file"),
        ({"roles": {"dataClaim": ""}}, "config.store.data is the folder /srv/driftd/lake, which the pods do not share"),
        ({"config": {"store": {"data": "/data"}}}, "the chart mounts roles.dataClaim at /srv/driftd/lake"),
        (
            {"config": {"store": {"data": "s3://bucket/lake"}}, "networkPolicy": {"enabled": False}},
            "roles.dataClaim is driftd-lake, but config.store.data is",
        ),
        ({"config": {"store": {"work_folder": "/data"}}}, "config.store.work_folder is /data: only /var/lib/driftd"),
        (
            {"roles": {"control": {"replicas": 0}}},
            "roles.control.replicas is 0: no process would plan, compare and alert",
        ),
        (
            {"roles": {"api": {"autoscaling": {"metric": "lag"}}}},
            "roles.api.autoscaling.metric is lag, which only the role ingest changes; set cpu",
        ),
        (
            {"roles": {"api": {"autoscaling": {"minReplicas": 9}}}},
            "roles.api.autoscaling.maxReplicas is 4, less than minReplicas",
        ),
        (
            {"roles": {"work": {"extraEnv": [{"name": "HOME", "value": "/"}]}}},
            "roles.work.extraEnv sets HOME, which the chart sets itself",
        ),
        (
            {"roles": {"work": {"podLabels": {"driftd/process": "none"}}}},
            "roles.work.podLabels sets driftd/process, which the chart sets itself",
        ),
        (
            {"extraVolumes": [{"name": "lake", "emptyDir": {}}]},
            "extraVolumes contains lake, the name of a volume of the chart",
        ),
    ],
)
def test_a_value_that_makes_no_sense_with_a_lake_is_refused(
    chart: Chart, values: dict[str, Any], sentence: str
) -> None:
    message = chart.refusal(LAKE, **values)
    assert sentence in message
    assert len(message.split("\n\n")[0].splitlines()) == 2  # the heading and this problem


def test_a_lake_without_a_place_of_its_files_is_refused(chart: Chart) -> None:
    message = chart.refusal(MINIMAL, config={**STORE, "store": {"url_file": STORE["store"]["url_file"]}})
    assert "config.store.data is empty: a lake needs the place of its Parquet files" in message


def test_the_url_of_a_lake_in_plain_text_is_refused(chart: Chart) -> None:
    message = chart.refusal(
        MINIMAL, config={**STORE, "store": {"url": "postgresql://d:hunter2@pg/d", "data": "s3://b/l"}}
    )
    assert "config.store.url would be readable in a ConfigMap" in message
    assert "hunter2" not in message


def test_processes_without_a_common_salt_are_refused(chart: Chart) -> None:
    store = {"store": STORE["store"]}
    message = chart.refusal(MINIMAL, config=store)
    assert (
        "config.redaction.salt_file is not set: each process of a lake would redact with a salt of its own" in message
    )
    own = {**store, "redaction": {"salt_path": "/var/lib/driftd/salt"}}
    assert "config.redaction.salt_path is /var/lib/driftd/salt, which each pod has for itself" in chart.refusal(
        MINIMAL, config=own
    )
    shared = {"sharedClaim": "driftd-shared"}
    assert chart.render(MINIMAL, config=store, roles=shared)
    assert chart.render(MINIMAL, config={**store, "redaction": {"salt_path": "/srv/driftd/shared/salt"}}, roles=shared)


@pytest.mark.parametrize(("data", "key"), [("/srv/driftd/lake", "postgresql"), ("s3://bucket/lake", "objects")])
def test_a_store_that_the_network_policy_denies_is_refused(chart: Chart, data: str, key: str) -> None:
    values: dict[str, Any] = {
        "config": {"store": {"data": data}},
        "roles": {"dataClaim": "" if "://" in data else "driftd-lake"},
        "networkPolicy": {"egress": {key: []}},
    }
    assert f"because networkPolicy.egress.{key} is empty; add a rule" in chart.refusal(LAKE, **values)


@pytest.mark.parametrize(
    ("roles", "path"),
    [
        ({"ingest": {"replica": 1}}, "/roles/ingest"),
        ({"control": {"autoscaling": {"enabled": True}}}, "/roles/control"),
        ({"ingest": {"replicas": -1}}, "/roles/ingest/replicas"),
        ({"ingest": {"autoscaling": {"metric": "memory"}}}, "/roles/ingest/autoscaling/metric"),
        ({"workers": {"replicas": 1}}, "/roles"),
    ],
)
def test_an_unknown_value_of_a_role_is_refused(chart: Chart, roles: dict[str, Any], path: str) -> None:
    message = chart.refusal(LAKE, roles=roles)
    assert "values don't meet the specifications of the schema" in message
    assert path in message
