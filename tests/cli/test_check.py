"""`driftd check` with a real folder: a model that answers or not, a file, a daemon."""

import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from monitor.clock import SystemClock
from monitor.config.load import load
from monitor.store.engine.database import Store
from monitor.store.runs import spending
from replay.evalsets.sealing import key_text
from replay.periods import Period
from replay.run.budget import Spent
from tests.alerting.notify.fakes.alertmanager import alertmanager
from tests.alerting.notify.fakes.on_call import API_KEY, grafana_irm, opsgenie
from tests.alerting.notify.fakes.pagerduty import ROUTING_KEY, pagerduty
from tests.alerting.notify.hook import Hook, listening
from tests.cli.conftest import Run
from tests.cli.house import CASES, Model, running_model, write_house
from tests.ports import free_port


@pytest.fixture
def model() -> Iterator[Model]:
    with running_model() as found:
        yield found


@pytest.fixture
def hook() -> Iterator[Hook]:
    with listening() as found:
        yield found


@pytest.fixture
def config(model: Model, hook: Hook, tmp_path: Path) -> Path:
    path = write_house(
        tmp_path, model_url=model.url, api_port=free_port(), otlp_port=free_port(), grpc_port=free_port()
    )
    (tmp_path / "primes.key").chmod(0o600)
    receivers = {"console": {"kind": "console"}, "pager": {"kind": "webhook", "url": hook.url}}
    return change(path, receivers=receivers, schedules={"nightly": {"timezone": "Europe/Berlin"}})


def change(path: Path, **sections: Any) -> Path:
    """Write the same file with other sections."""
    path.write_text(yaml.safe_dump({**yaml.safe_load(path.read_text()), **sections}))
    return path


def lines_of(run: Run, path: Path, *options: object, code: int) -> dict[str, tuple[str, str]]:
    result = run("check", "--config", path, "--json", *options)
    assert result.code == code, result.out + result.err
    assert result.document["ok"] == (code == 0)
    return {line["check"]: (line["state"], line["sentence"]) for line in result.document["checks"]}


def states(lines: dict[str, tuple[str, str]]) -> dict[str, str]:
    return {check: state for check, (state, _) in lines.items()}


@pytest.fixture
def imported(config: Path, run: Run, tmp_path: Path) -> Path:
    assert run("sets", "import", "primes", tmp_path / "primes.jsonl", "--config", config).code == 0
    return config


def test_a_house_in_order_is_a_line_for_each_thing_and_leaves_with_nought(imported: Path, run: Run) -> None:
    lines = lines_of(run, imported, "--call-targets", code=0)
    assert set(states(lines).values()) == {"ok"}
    assert list(lines) == [
        "config", "secret files", "port api", "port ingest.otlp", "port ingest.otlp_grpc", "database",
        "database complete", "set primes",
        "private files", "open files", "false alarms", "prices", "target model", "receiver console", "receiver pager",
        "schedule nightly",
    ]  # fmt: skip
    assert f"{CASES} cases, for support, opened with its key" in lines["set primes"][1]


def test_for_people_it_is_one_line_each(imported: Path, run: Run) -> None:
    result = run("check", "--config", imported)
    assert result.code == 0
    assert all(line.split()[0] in {"ok", "warn"} for line in result.out.splitlines())
    assert len(result.out.splitlines()) == 16
    assert result.err == ""


def test_nothing_is_made_spent_or_sent_unasked(config: Path, run: Run, model: Model, hook: Hook) -> None:
    before = sorted(config.parent.rglob("*"))
    lines_of(run, config, code=1)
    assert sorted(config.parent.rglob("*")) == before
    assert (model.questions, hook.bodies) == ([], [])


def test_the_table_of_prices_is_named_and_one_that_does_not_hold_fails(config: Path, run: Run) -> None:
    state, sentence = lines_of(run, config, code=1)["prices"]
    assert state == "ok"
    assert sentence.endswith("models, shipped with driftd; ingest.prices_file replaces it")
    own = config.parent / "prices.yaml"
    own.write_text('version: "ours-3"\nmodels:\n  support-llm: {input: 1, output: 2}\n')
    change(config, ingest={"prices_file": "prices.yaml"})
    assert lines_of(run, config, code=1)["prices"] == ("ok", f"version ours-3 with 1 models, from {own}")
    own.write_text("models: {}")
    state, sentence = lines_of(run, config, code=1)["prices"]
    assert state == "fail"
    assert f"ingest.prices_file: {own}: version: the key is required" in sentence


def test_a_configuration_that_does_not_load_is_its_problems_and_two(config: Path, run: Run) -> None:
    change(config, store={"pat": "x"}, api={"port": -1})
    lines = run("check", "--config", config, "--json")
    assert lines.code == 2
    assert [(line["check"], line["state"]) for line in lines.document["checks"]] == [("config", "fail")] * 2
    assert "store.pat: the key is unknown" in lines.document["checks"][0]["sentence"]
    assert run("check", "--config", config.with_name("gone.yaml")).code == 2


def test_a_frozen_set_without_a_revision_fails_and_reports_how_to_import_it(config: Path, run: Run) -> None:
    lines = lines_of(run, config, code=1)
    file = config.parent / "data/driftd.duckdb"
    assert lines["database"] == ("ok", f"{file} does not exist yet; the first start creates it")
    assert lines["set primes"] == (
        "fail",
        "no revision; nothing is replayed for support; import it with `driftd sets import primes FILE`",
    )
    Store.open(file, clock=SystemClock()).close()
    assert lines_of(run, config, code=1)["set primes"][0] == "fail"


def test_a_key_that_does_not_open_the_set_fails(imported: Path, run: Run) -> None:
    (imported.parent / "primes.key").write_text(key_text(bytes(32)))
    state, sentence = lines_of(run, imported, code=1)["set primes"]
    assert state == "fail"
    assert "give the key file this set was imported with" in sentence
    assert str(bytes(32).hex()) not in sentence


def test_every_check_runs_when_all_of_them_fail(config: Path, run: Run, tmp_path: Path) -> None:
    (tmp_path / "no.duckdb").write_text("no database " * 1000)
    nobody = f"http://127.0.0.1:{free_port()}"
    with socket.create_server(("127.0.0.1", 0)) as other:
        change(
            config,
            store={"path": "no.duckdb"},
            ingest={"otlp": {"port": other.getsockname()[1]}, "otlp_grpc": {"port": 0}},
            targets={"model": {"base_url": nobody, "model": "gpt-4"}},
            receivers={"pager": {"kind": "webhook", "url": f"{nobody}/hooks/s3cret"}},
            schedules={"nightly": {"cron": "0 0 31 feb *"}},
        )
        lines = lines_of(run, config, code=1)
    failing = {check for check, state in states(lines).items() if state == "fail"}
    assert failing == {"port ingest.otlp", "database", "target model", "receiver pager", "schedule nightly"}
    assert "it is not a valid DuckDB database" in lines["database"][1]
    assert "check base_url and whether the server runs" in lines["target model"][1]
    assert "s3cret" not in str(lines)


def test_call_targets_requests_one_token_of_an_endpoint_without_a_model_list(
    config: Path, run: Run, model: Model
) -> None:
    state, sentence = lines_of(run, config, code=1)["target model"]
    assert (state, "--call-targets requests one token" in sentence) == ("warn", True)
    state, sentence = lines_of(run, config, "--call-targets", code=1)["target model"]
    assert (state, sentence.startswith(f"{model.url} answers as gpt-4-0314 in ")) == ("ok", True)
    assert model.questions == ["Reply with OK."]


def test_a_test_notification_is_sent_when_reported_and_marked_as_one(config: Path, run: Run, hook: Hook) -> None:
    lines = lines_of(run, config, "--notify", code=1)
    assert lines["receiver pager"] == ("ok", "the webhook receiver accepted a test notification")
    [body] = hook.bodies
    assert (body["reason"], body["alert"]["state"], body["finding"]["verdict"]) == ("test", "test", "test")
    hook.status = 404
    assert lines_of(run, config, "--notify", code=1)["receiver pager"][0] == "fail"


def test_pagerduty_is_checked_and_gets_a_test_notification(config: Path, run: Run) -> None:
    with pagerduty() as fake:
        section = {"kind": "pagerduty", "routing_key": ROUTING_KEY, "events_url": fake.url}
        change(config, receivers={"console": {"kind": "console"}, "pager": section})
        assert lines_of(run, config, code=1)["receiver pager"][0] == "ok"
        assert fake.accepted == []
        line = lines_of(run, config, "--notify", code=1)["receiver pager"]
    assert line == ("ok", "the pagerduty receiver accepted a test notification")
    assert [body["event_action"] for body in fake.accepted] == ["trigger", "resolve"]


def test_templates_of_a_receiver_are_checked_on_samples(config: Path, run: Run) -> None:
    (config.parent / "text.j2").write_text("{{ title }}\n{{ effect }}\n")
    templates = {"text_file": "text.j2", "title": "{{ headline }} on {{ deployment }}"}
    change(config, receivers={"console": {"kind": "console", "templates": templates}})
    assert lines_of(run, config, code=1)["receiver console"] == ("ok", "its stream is writable")
    (config.parent / "text.j2").write_text("{{ title }}\n{{ efect }}\n")
    state, sentence = lines_of(run, config, code=1)["receiver console"]
    assert state == "fail"
    assert sentence.startswith("receivers.console.templates.text: UndefinedError: 'efect' is undefined")


def test_a_receiver_no_one_reports_and_a_set_no_one_uses_are_warned_of(config: Path, run: Run) -> None:
    tree = yaml.safe_load(config.read_text())
    sets = {**tree["sets"], "spare": {"kind": "dynamic", "scorers": [{"kind": "exact"}]}}
    deployments = {**tree["deployments"], "bare": {"target": "model"}}
    change(config, alerts={"receivers": ["console"]}, sets=sets, deployments=deployments, schedules={})
    result = run("check", "--config", config)
    warned = [line.split("  ", 1)[1].strip() for line in result.out.splitlines() if line.startswith("warn")]
    assert [text.split("  ")[0] for text in warned] == [
        "deployment bare", "set spare", "target model", "receiver pager", "schedules",
    ]  # fmt: skip


def test_a_secret_that_everybody_may_read_is_warned_of(imported: Path, run: Run) -> None:
    (imported.parent / "primes.key").chmod(0o644)
    state, sentence = lines_of(run, imported, code=0)["secret files"]
    assert (state, sentence.split(":")[0]) == ("warn", "sets.primes.key_file")
    assert "chmod 600" in sentence


def test_a_token_that_can_be_guessed_is_warned_of(imported: Path, run: Run) -> None:
    token = imported.parent / "token"
    token.write_text("open sesame")
    token.chmod(0o600)
    section = "tokens: [{name: ci, token_file: token, roles: [read]}]"
    imported.write_text(imported.read_text().replace("api:\n", f"api:\n  {section}\n"))
    state, sentence = lines_of(run, imported, code=0)["secret files"]
    assert (state, sentence.split(":")[0]) == ("warn", "api.tokens[0].token_file")
    assert "openssl rand -hex 32" in sentence
    token.write_text("0123456789abcdef0123456789abcdef")
    assert lines_of(run, imported, code=0)["secret files"][0] == "ok"


def test_a_schedule_reports_its_next_night_in_its_own_zone(config: Path, run: Run) -> None:
    state, sentence = lines_of(run, config, code=1)["schedule nightly"]
    assert (state, "02:00 Europe/Berlin (" in sentence) == ("ok", True)


def test_a_file_of_a_newer_driftd_fails(imported: Path, run: Run) -> None:
    store = Store.open(imported.parent / "data/driftd.duckdb", clock=SystemClock())
    with store.write() as tx:
        row = {"version": 9999, "name": "later", "checksum": "x", "now": datetime.now(UTC)}
        tx.execute("record_migration", **row)
    store.close()
    state, sentence = lines_of(run, imported, code=1)["database"]
    assert (state, "install a newer driftd" in sentence) == ("fail", True)


def test_a_file_that_another_process_holds_fails(imported: Path, run: Run) -> None:
    path = imported.parent / "data/driftd.duckdb"
    code = f"import duckdb; c = duckdb.connect({str(path)!r}); print('open', flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "open\n"
        state, sentence = lines_of(run, imported, code=1)["database"]
        holder.communicate("\n", timeout=30)
    assert (state, "is in use by another process" in sentence) == ("fail", True)


def test_a_file_that_cannot_be_written_fails(run: Run) -> None:
    """Runs as another user under root, because root can write every file."""
    with tempfile.TemporaryDirectory(prefix="driftd-check-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        path = folder / "driftd.yaml"
        path.write_text("store: {path: driftd.duckdb}\n")
        Store.open(folder / "driftd.duckdb", clock=SystemClock()).close()
        (folder / "driftd.duckdb").chmod(0o444)
        me = os.geteuid()
        try:
            if me == 0:
                os.seteuid(65534)
            lines = lines_of(run, path, code=1)
        finally:
            os.seteuid(me)
    assert lines["database"][0] == "fail"
    assert "read-only for this user" in lines["database"][1]


def test_a_key_next_to_it_is_never_shown(imported: Path, run: Run) -> None:
    key = load(imported, {}).sets["primes"].key
    assert key is not None
    result = run("check", "--config", imported, "--json")
    assert key.get_secret_value() not in json.dumps(result.document) + result.err


def test_the_promise_about_false_alarms_is_added_up_over_all_sets(run: Run, imported: Path) -> None:
    state, sentence = lines_of(run, imported, code=0)["false alarms"]
    assert state == "ok"
    assert sentence.startswith(
        "at most 0.1 expected in half a year without a known change: 1 set and the traffic of 1 "
    )
    assert "alerts.alpha_scope: set" in sentence


def test_so_many_false_alarms_that_no_one_will_look_are_warned_of(run: Run, imported: Path) -> None:
    settings = yaml.safe_load(imported.read_text())["deployments"]
    many = {f"bot-{n}": {**settings["support"], "service_names": [f"bot-{n}"]} for n in range(25)}
    change(imported, deployments=many)
    assert lines_of(run, imported, code=0)["false alarms"][0] == "warn"
    change(imported, alerts={"alpha_scope": "all"})
    state, sentence = lines_of(run, imported, code=0)["false alarms"]
    assert (state, "at most 0.05 expected" in sentence) == ("ok", True)


def test_budgets_of_replays_are_shown_with_what_is_spent(run: Run, config: Path, tmp_path: Path) -> None:
    assert "replay budget" not in lines_of(run, config, code=1)  # 1: the frozen set is empty
    limits = {"budget": {"requests": 1500}, "daily_budget": {"requests": 2000}, "monthly_budget": {"tokens": 9_000_000}}
    deployments = yaml.safe_load(config.read_text())["deployments"]
    name = next(iter(deployments))
    change(config, deployments={**deployments, name: {**deployments[name], "replay": limits}})
    limited = (
        f"{name}: limits are 1,500 requests per run, 2,000 requests per day ({{}} requests spent), 9,000,000 tokens"
    )
    assert lines_of(run, config, code=1)["replay budget"] == ("ok", f"{limited.format(0)} per month (0 tokens spent)")
    settings, clock = load(config, os.environ), SystemClock()
    settings.store.path.parent.mkdir(parents=True, exist_ok=True)
    store = Store.open(settings.store.path, clock=clock)
    with store.write() as tx:
        spending.record(tx, "run-1", name, clock.now(), started=2000, ended=Spent(requests=2000, tokens=70))
    store.close()
    state, sentence = lines_of(run, config, code=1)["replay budget"]
    assert state == "warn"
    assert f"{limited.format('2,000')} per month (70 tokens spent); deployment '{name}': the requests" in sentence
    assert f"replays can run again from {Period.DAY.end(clock.now()):%Y-%m-%d} 00:00 UTC" in sentence


def test_the_services_of_on_call_people_are_checked_and_get_a_test(config: Path, run: Run) -> None:
    with alertmanager() as cluster, opsgenie() as genie, grafana_irm() as irm:
        peers = {"kind": "alertmanager", "urls": [cluster.url]}
        receivers = {
            "am": peers,
            "half": {**peers, "urls": [cluster.url, f"http://127.0.0.1:{free_port()}"]},
            "genie": {"kind": "opsgenie", "api_key": API_KEY, "api_url": genie.url},
            "irm": {"kind": "grafana_irm", "url": irm.url},
        }
        change(config, receivers=receivers)
        lines = lines_of(run, config, code=1)
        names = ("am", "genie", "irm")
        assert {lines[f"receiver {name}"][0] for name in names} == {"ok"}
        assert lines["receiver half"][0] == "fail"
        assert lines["receiver half"][1].endswith("cannot be reached: Connection refused")
        assert (cluster.accepted, genie.accepted, irm.accepted) == ([], [], [])
        lines = lines_of(run, config, "--notify", code=1)
        accepted = {lines[f"receiver {name}"][1] for name in (*names, "half")}
        assert accepted == {
            f"the {kind} receiver accepted a test notification" for kind in ("alertmanager", "opsgenie", "grafana_irm")
        }
        assert [body[0]["labels"]["alertname"] for body in cluster.accepted] == ["DriftdTest", "DriftdTest"]
        assert (len(genie.accepted), len(irm.accepted)) == (2, 2)
        assert API_KEY not in str(lines)
        assert "s3cret" not in str(lines)
