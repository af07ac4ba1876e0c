"""With a lake the chart renders a workload for each role of `driftd serve --role`."""

from pathlib import Path
from typing import Any

import pytest

from monitor.roles import Role
from monitor.telemetry.metrics import METRICS
from tests.helm.chart import LAKE, ROLES, Chart, Object, Rendered, example

COMPONENT = "app.kubernetes.io/component"
# The least values of a lake: an object store, and a salt in the Secret.
STORE: dict[str, Any] = {
    "store": {"url_file": "/run/secrets/driftd/lake-url", "data": "s3://bucket/lake"},
    "redaction": {"salt_file": "/run/secrets/driftd/salt"},
}


def small(chart: Chart, **values: Any) -> Rendered:
    """Render a lake with the defaults of the chart."""
    return chart.render(example("minimal"), config=STORE, **values)


def replicas(rendered: Rendered) -> dict[str, int | None]:
    """Return the number of pods of each role; None if an autoscaler sets it."""
    roles = [item for item in rendered.of("Deployment") if item["metadata"]["labels"][COMPONENT] in ROLES]
    return {item["metadata"]["labels"][COMPONENT]: item["spec"].get("replicas") for item in roles}


def container(rendered: Rendered, component: str) -> Object:
    return dict(rendered.pods()[component]["spec"]["containers"][0])


def test_the_chart_has_every_role_of_processes_with_a_lake(chart: Chart) -> None:
    assert {"all", *ROLES} == {role.value for role in Role}
    rendered = chart.render(LAKE)
    assert rendered.of("StatefulSet") == []
    for role in ROLES:
        command = container(rendered, role)["command"]
        assert command == ["driftd", "serve", "--config", "/etc/driftd/driftd.yaml", "--role", role]


def test_the_defaults_have_two_processes_of_the_roles_that_are_always_needed(chart: Chart) -> None:
    assert replicas(small(chart)) == {"ingest": 2, "control": 2, "api": 2}
    more = small(chart, roles={"work": {"replicas": 3}, "maintain": {"replicas": 1}})
    assert replicas(more) == {"ingest": 2, "control": 2, "work": 3, "maintain": 1, "api": 2}


def test_a_paused_release_keeps_its_objects_without_a_process(chart: Chart) -> None:
    rendered = chart.render(LAKE, roles={"paused": True})
    assert replicas(rendered) == dict.fromkeys(ROLES, 0)
    assert rendered.of("HorizontalPodAutoscaler") == []  # one would leave 0 replicas as they are, but not after it
    assert rendered.one("Job", "night-driftd-init")


def test_an_autoscaler_outside_of_the_chart_keeps_its_number(chart: Chart) -> None:
    rendered = small(chart, roles={"ingest": {"replicas": None}})
    assert replicas(rendered) == {"ingest": None, "control": 2, "api": 2}
    assert rendered.of("HorizontalPodAutoscaler") == []


def test_pods_are_replaced_one_after_the_other(chart: Chart) -> None:
    for item in chart.render(LAKE).of("Deployment"):
        assert item["spec"].get("strategy", {"type": "RollingUpdate"}) == {"type": "RollingUpdate"}


def test_only_the_processes_that_ingest_have_ports_for_telemetry(chart: Chart) -> None:
    rendered = chart.render(LAKE)
    ports = {role: [port["name"] for port in container(rendered, role)["ports"]] for role in ROLES}
    assert ports.pop("ingest") == ["api", "otlp", "otlp-grpc"]
    assert set(map(tuple, ports.values())) == {("api",)}


def test_each_role_has_the_probes_and_the_grace_period_of_the_daemon(chart: Chart) -> None:
    rendered = chart.render(LAKE)
    daemon = chart.render(example("minimal")).pods()["daemon"]["spec"]
    for role in ROLES:
        spec = rendered.pods()[role]["spec"]
        for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
            assert spec["containers"][0][probe] == daemon["containers"][0][probe]
        assert spec["terminationGracePeriodSeconds"] == daemon["terminationGracePeriodSeconds"]


def test_services_lead_to_the_processes_that_answer(chart: Chart) -> None:
    rendered = chart.render(LAKE)
    labels = {name: pod["metadata"]["labels"] for name, pod in rendered.pods().items()}
    labels |= {"init": rendered.one("Job", "night-driftd-init")["spec"]["template"]["metadata"]["labels"]}
    labels |= {"test": rendered.of("Pod")[0]["metadata"]["labels"]}
    found = {}
    for service in rendered.of("Service"):
        selector = service["spec"]["selector"].items()
        chosen = {name for name, own in labels.items() if selector <= own.items()}
        found[service["metadata"]["name"]] = (chosen, {port["name"] for port in service["spec"]["ports"]})
    assert found == {
        "night-driftd": ({"api"}, {"api"}),
        "night-driftd-otlp": ({"ingest"}, {"otlp", "otlp-grpc"}),
        "night-driftd-metrics": (set(ROLES), {"api"}),
        "night-driftd-dashboards": ({"dashboards"}, {"http"}),
    }
    assert "publishNotReadyAddresses" not in rendered.one("Service")["spec"]
    assert "--url=http://night-driftd:8400" in container(rendered, "dashboards")["args"]
    (test,) = rendered.of("Pod")[0]["spec"]["containers"]
    assert [each for each in test["args"] if "otlp" in each] == [
        "http://night-driftd-otlp:4318/v1/traces=401",
        "tcp://night-driftd-otlp:4317",
    ]


def test_routes_of_telemetry_lead_to_the_processes_that_ingest(chart: Chart) -> None:
    hosts = {"api": "a.example.com", "otlp": "o.example.com"}
    rendered = chart.render(
        LAKE,
        ingress={"enabled": True, "hosts": hosts},
        gateway={"enabled": True, "parentRefs": [{"name": "public"}], "hosts": {**hosts, "otlpGrpc": "g.example.com"}},
    )
    (paths,) = [[rule["http"]["paths"][0] for rule in item["spec"]["rules"]] for item in rendered.of("Ingress")]
    assert [path["backend"]["service"]["name"] for path in paths] == ["night-driftd", "night-driftd-otlp"]
    routes = rendered.of("HTTPRoute") + rendered.of("GRPCRoute")
    assert {item["metadata"]["name"]: item["spec"]["rules"][0]["backendRefs"][0]["name"] for item in routes} == {
        "night-driftd-api": "night-driftd",
        "night-driftd-otlp": "night-driftd-otlp",
        "night-driftd-otlp-grpc": "night-driftd-otlp",
    }


def test_a_drain_evicts_one_pod_of_a_role_at_a_time(chart: Chart) -> None:
    budgets = {item["metadata"]["name"]: item["spec"] for item in chart.render(LAKE).of("PodDisruptionBudget")}
    assert budgets.keys() == {f"night-driftd-{name}" for name in (*ROLES, "dashboards")}
    for role in ROLES:
        spec = budgets[f"night-driftd-{role}"]
        assert (spec["maxUnavailable"], spec["unhealthyPodEvictionPolicy"]) == (1, "AlwaysAllow")
        assert spec["selector"]["matchLabels"][COMPONENT] == role
    assert len(small(chart).of("PodDisruptionBudget")) == 4


def test_the_pods_of_a_role_spread_over_the_nodes(chart: Chart) -> None:
    rendered = chart.render(LAKE)
    for role in ROLES:
        (spread,) = rendered.pods()[role]["spec"]["topologySpreadConstraints"]
        assert (spread["topologyKey"], spread["whenUnsatisfiable"]) == ("kubernetes.io/hostname", "ScheduleAnyway")
        assert spread["labelSelector"]["matchLabels"][COMPONENT] == role
    own = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}
    other = small(chart, roles={"control": {"topologySpreadConstraints": [own]}}).pods()
    assert other["control"]["spec"]["topologySpreadConstraints"][0]["topologyKey"] == "zone"
    assert other["api"]["spec"]["topologySpreadConstraints"][0]["topologyKey"] == "kubernetes.io/hostname"


def test_a_role_takes_the_placement_of_the_chart_unless_it_has_its_own(chart: Chart) -> None:
    rendered = small(
        chart,
        nodeSelector={"disk": "fast"},
        priorityClassName="high",
        roles={"work": {"replicas": 1, "nodeSelector": {"disk": "slow"}}},
    ).pods()
    assert rendered["control"]["spec"]["nodeSelector"] == {"disk": "fast"}
    assert rendered["work"]["spec"]["nodeSelector"] == {"disk": "slow"}
    assert {rendered[role]["spec"]["priorityClassName"] for role in ("control", "work")} == {"high"}
    assert "nodeSelector" not in rendered["dashboards"]["spec"]


def test_a_role_has_resources_arguments_variables_and_labels_of_its_own(chart: Chart) -> None:
    role = {
        "replicas": 1,
        "resources": {"requests": {"cpu": "2"}},
        "extraArgs": ["--log-level", "debug"],
        "extraEnv": [{"name": "A", "value": "of the role"}],
        "podLabels": {"tier": "batch"},
        "podAnnotations": {"owner": "ml"},
    }
    everywhere = [{"name": "A", "value": "of all"}, {"name": "B", "value": "of all"}]
    rendered = small(chart, extraEnv=everywhere, podLabels={"tier": "all"}, roles={"work": role})
    work, api = container(rendered, "work"), container(rendered, "api")
    assert work["resources"]["requests"] == {"cpu": "2", "memory": "512Mi"}
    assert work["args"] == ["--log-level", "debug"]
    assert "args" not in api
    variables = {each["name"]: each["value"] for each in work["env"]}
    assert (variables["A"], variables["B"], len(work["env"])) == ("of the role", "of all", 4)
    assert {each["name"]: each["value"] for each in api["env"]}["A"] == "of all"
    assert rendered.pods()["work"]["metadata"]["labels"]["tier"] == "batch"
    assert rendered.pods()["work"]["metadata"]["annotations"]["owner"] == "ml"
    assert rendered.pods()["api"]["metadata"]["labels"]["tier"] == "all"


def test_the_configuration_has_no_file_and_a_work_folder(chart: Chart) -> None:
    def store(**values: Any) -> dict[str, Any]:
        return dict(small(chart, **values).config()["store"])

    assert store() == {**STORE["store"], "work_folder": "/var/lib/driftd"}
    shared = {"sharedClaim": "driftd-shared"}
    assert store(roles=shared)["work_folder"] == "/srv/driftd/shared"
    own = {**STORE, "store": {**STORE["store"], "work_folder": "/srv/driftd/shared/files"}}
    kept = chart.render(example("minimal"), config=own, roles=shared).config()["store"]
    assert kept["work_folder"] == "/srv/driftd/shared/files"


def test_every_pod_with_the_configuration_has_the_folders_of_the_claims(chart: Chart) -> None:
    rendered = chart.render(LAKE)
    templates = [rendered.pods()[role] for role in ROLES] + [
        rendered.one("Job", "night-driftd-init")["spec"]["template"]
    ]
    for template in templates:
        (own,) = template["spec"]["containers"]
        volumes = {volume["name"]: volume for volume in template["spec"]["volumes"]}
        mounted = {mount["mountPath"]: volumes[mount["name"]] for mount in own["volumeMounts"]}
        assert mounted["/srv/driftd/lake"]["persistentVolumeClaim"] == {"claimName": "driftd-lake"}
        assert mounted["/srv/driftd/shared"]["persistentVolumeClaim"] == {"claimName": "driftd-shared"}
        assert mounted["/var/lib/driftd"]["emptyDir"] == {"sizeLimit": "4Gi"}
        assert mounted["/run/secrets/driftd"]["secret"]["secretName"] == "driftd"
    without = small(chart)
    assert "persistentVolumeClaim" not in str(without.objects)


@pytest.mark.parametrize(
    ("image", "name"),
    [
        ({}, "registry.example.com/driftd:0.1.0-lake"),
        ({"tag": "9"}, "registry.example.com/driftd:9-lake"),
        ({"tag": "9", "lakeTag": "lake-9"}, "registry.example.com/driftd:lake-9"),
        ({"digest": "sha256:" + "0" * 64}, "registry.example.com/driftd@sha256:" + "0" * 64),
    ],
)
def test_every_pod_has_the_image_with_the_duckdb_of_a_lake(chart: Chart, image: dict[str, str], name: str) -> None:
    rendered = small(chart, image=image)
    assert {one["image"] for pod in rendered.all_pods() for one in pod["spec"]["containers"]} == {name}


def test_the_job_before_an_installation_and_an_upgrade_creates_or_migrates_the_lake(chart: Chart) -> None:
    rendered = chart.render(LAKE)
    hooks = {
        (item["kind"], item["metadata"]["name"]): item["metadata"]["annotations"]
        for item in rendered.objects
        if item["metadata"]["name"].endswith("-init")
    }
    job = hooks.pop(("Job", "night-driftd-init"))
    assert {kind for kind, _ in hooks} == {"ConfigMap", "ServiceAccount", "NetworkPolicy"}  # nothing else exists then
    for found in (job, *hooks.values()):
        assert found["helm.sh/hook"] == "pre-install,pre-upgrade"
        assert found["helm.sh/hook-delete-policy"] == "before-hook-creation,hook-succeeded"
    assert {int(found["helm.sh/hook-weight"]) for found in hooks.values()} == {-10}
    assert int(job["helm.sh/hook-weight"]) == 0
    spec = rendered.one("Job", "night-driftd-init")["spec"]
    pod = spec["template"]["spec"]
    assert pod["containers"][0]["command"] == ["driftd", "lake", "init", "--config", "/etc/driftd/driftd.yaml"]
    assert (pod["restartPolicy"], pod["serviceAccountName"]) == ("Never", "night-driftd-init")
    assert {"name": "config", "configMap": {"name": "night-driftd-init"}} in pod["volumes"]
    assert rendered.one("ConfigMap", "night-driftd-init")["data"] == rendered.one("ConfigMap")["data"]
    pauses_s = sum(10 * 2**attempt for attempt in range(spec["backoffLimit"]))
    assert pauses_s > rendered.pods()["api"]["spec"]["terminationGracePeriodSeconds"]  # pods of a paused release end


def test_the_job_can_be_left_out_and_takes_an_account_of_the_cluster(chart: Chart) -> None:
    assert small(chart, roles={"init": {"enabled": False}}).of("Job") == []
    rendered = small(chart, serviceAccount={"create": False, "name": "monitoring"})
    assert rendered.of("ServiceAccount") == []
    assert rendered.of("Job")[0]["spec"]["template"]["spec"]["serviceAccountName"] == "monitoring"


def test_autoscalers_scale_on_cpu_on_the_lag_of_kafka_or_on_slices(chart: Chart) -> None:
    rendered = chart.render(
        LAKE, roles={"work": {"autoscaling": {"enabled": True, "maxReplicas": 9, "metric": "slices"}}}
    )
    found = {item["metadata"]["name"]: item["spec"] for item in rendered.of("HorizontalPodAutoscaler")}
    assert found.keys() == {"night-driftd-ingest", "night-driftd-work", "night-driftd-api"}
    assert replicas(rendered) == {"ingest": None, "control": 2, "work": None, "maintain": 1, "api": None}
    for name, spec in found.items():
        assert spec["scaleTargetRef"] == {"apiVersion": "apps/v1", "kind": "Deployment", "name": name}
    (lag,) = found["night-driftd-ingest"]["metrics"]
    assert lag["external"] == {
        "metric": {"name": "driftd_kafka_lag", "selector": {"matchLabels": {"job": "night-driftd-metrics"}}},
        "target": {"type": "AverageValue", "averageValue": "20000"},
    }
    (slices,) = found["night-driftd-work"]["metrics"]
    assert slices["external"]["metric"]["name"] == "driftd_replay_slices_open"
    assert slices["external"]["target"]["averageValue"] == "4"
    names = {metric.prometheus_name for metric in METRICS}
    assert {"driftd_kafka_lag", "driftd_replay_slices_open"} <= names
    (cpu,) = found["night-driftd-api"]["metrics"]
    assert cpu["resource"] == {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 70}}
    limits = {name.removeprefix("night-driftd-"): (s["minReplicas"], s["maxReplicas"]) for name, s in found.items()}
    assert limits == {"ingest": (2, 8), "work": (2, 9), "api": (2, 4)}


def test_prometheus_reads_every_role_as_one_job_with_its_role(chart: Chart) -> None:
    rendered = chart.render(LAKE)
    monitor = rendered.one("ServiceMonitor")["spec"]
    labels = monitor["selector"]["matchLabels"].items()
    (service,) = [item for item in rendered.of("Service") if labels <= item["metadata"]["labels"].items()]
    assert service["metadata"]["name"] == "night-driftd-metrics"
    assert service["spec"]["publishNotReadyAddresses"] is True
    (endpoint,) = monitor["endpoints"]
    assert endpoint["port"] == "api"
    (relabeling,) = endpoint["relabelings"]
    assert relabeling["targetLabel"] == "role"
    assert relabeling["sourceLabels"] == ["__meta_kubernetes_pod_label_app_kubernetes_io_component"]


def test_the_alerting_rules_include_those_about_roles(chart: Chart) -> None:
    def names(base: Path, **values: Any) -> set[str]:
        groups = chart.render(base, prometheusRule={"enabled": True}, **values).one("PrometheusRule")["spec"]["groups"]
        return {rule["alert"] for group in groups for rule in group["rules"]}

    about_roles = {"DriftdRoleDown", "DriftdNoProcessLeads"}
    assert names(LAKE) - names(example("minimal")) == about_roles
    assert len(names(example("minimal"))) > 5
    groups = chart.render(LAKE).one("PrometheusRule")["spec"]["groups"]
    assert (
        groups[-1]["rules"][0]["annotations"]["runbook_url"] == "https://wiki.example.com/driftd/runbooks/RoleDown.md"
    )


def rules(rendered: Rendered, component: str) -> tuple[dict[str, list[Object]], list[int]]:
    """Return who may connect to each port of a part, and the ports to which it may connect."""
    spec = rendered.one("NetworkPolicy", f"night-driftd-{component}")["spec"]
    assert spec["podSelector"]["matchLabels"][COMPONENT] == component
    assert spec["policyTypes"] == ["Ingress", "Egress"]
    clients = {port["port"]: rule["from"] for rule in spec.get("ingress") or [] for port in rule["ports"]}
    return clients, sorted({port["port"] for rule in spec["egress"] for port in rule["ports"]})


def test_network_policies_allow_each_role_what_it_does(chart: Chart) -> None:
    rendered = chart.render(LAKE)
    found = {role: rules(rendered, role) for role in (*ROLES, "init")}
    assert {role: ports for role, (_, ports) in found.items()} == {
        "ingest": [53, 5432, 9093],
        "control": [53, 443, 5432],
        "work": [53, 443, 5432],
        "maintain": [53, 5432],
        "api": [53, 443, 5432],
        "init": [53, 5432],
    }
    assert {role: sorted(clients) for role, (clients, _) in found.items()} == {
        "ingest": ["api", "otlp", "otlp-grpc"],
        "init": [],
        **{key: ["api"] for key in ("control", "work", "maintain", "api")},
    }
    for role in ("control", "work", "maintain", "ingest"):
        (only,) = found[role][0]["api"]
        assert only["namespaceSelector"]["matchLabels"] == {"kubernetes.io/metadata.name": "monitoring"}
    selectors = [
        peer["podSelector"]["matchLabels"][COMPONENT] for peer in found["api"][0]["api"] if "podSelector" in peer
    ]
    assert selectors == ["dashboards", "test"]
    (to_api, *_) = rendered.one("NetworkPolicy", "night-driftd-dashboards")["spec"]["egress"]
    assert to_api["to"][0]["podSelector"]["matchLabels"][COMPONENT] == "api"


@pytest.mark.parametrize("release", ["driftd", "x" * 53])
def test_names_fit_into_a_dns_label(chart: Chart, release: str) -> None:
    names = [item["metadata"]["name"] for item in chart.render(LAKE, release=release).objects]
    assert max(map(len, names)) <= 52
    assert len({(item["kind"], item["metadata"]["name"]) for item in chart.render(LAKE).objects}) == len(names)
