"""A daemon observes every rule about its own health, and shows the conditions at /metrics."""

import json
import re
from datetime import timedelta
from pathlib import Path

import pytest

from monitor.cli.main import main
from monitor.domain.rules import RULES, Area
from monitor.jobs.alerting.check_loop import CheckLoop
from tests.app.house import DEPLOYMENT, SETTLE_S, daemon
from tests.app.lake import OF_FILES, ON_LAKE

OBSERVED = {name for name, rule in RULES.items() if rule.area is not Area.QUALITY} - {"Watchdog"}
HERE = OBSERVED - (OF_FILES if ON_LAKE else set())


def test_every_rule_about_the_health_of_driftd_has_a_check_and_a_healthy_daemon_fires_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with daemon(tmp_path) as house:
        house.import_primes(20)
        house.replay()
        house.clock.advance_to(house.clock.now() + timedelta(minutes=11))  # the health of sets is computed then
        house.app.settle(SETTLE_S)
        [loop] = [one.loop for one in house.app.supervisor._workers if isinstance(one.loop, CheckLoop)]
        assert {rule for check in loop._checks for rule in check.rules} == HERE
        items = house.api.get("/api/v1/rules/conditions").raise_for_status().json()["items"]
        with pytest.raises(SystemExit) as left:
            main(["alerts", "conditions", "--json", "--url", str(house.api.base_url)])
        lines = house.api.get("/metrics").text.splitlines()
    # Without Kafka, a folder of results, a budget, a judge with sentinels and TLS there is no condition of these rules.
    absent = {"KafkaStalled", "ResultsNotImported", "BudgetExhausted", "JudgeDrift", "CertificateNotRenewed"}
    absent |= OBSERVED - HERE
    assert left.value.code in {None, 0}
    assert json.loads(capsys.readouterr().out)["items"] == items
    some = {("DiskNearlyFull", "disk"), ("DeadLetters", "ingest")}
    assert {(one["rule"], one["subject"]) for one in items} >= {one for one in some if one[0] not in absent}
    assert [one for one in items if one["state"] == "firing"] == []
    conditions = [line for line in lines if line.startswith("driftd_alert_conditions{")]
    seen = {found.group(1) for line in conditions if (found := re.search(r'rule="(\w+)"', line))}
    assert seen == OBSERVED - absent
    firing = [line for line in conditions if 'state="firing"' in line and not line.endswith(" 0.0")]
    assert firing == []
    assert any(f'deployment="{DEPLOYMENT}"' in line for line in conditions)
