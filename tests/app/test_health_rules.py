"""A daemon observes every rule about its own health, and shows the conditions at /metrics."""

import re
from datetime import timedelta
from pathlib import Path

from monitor.domain.rules import RULES, Area
from monitor.jobs.alerting.check_loop import CheckLoop
from tests.app.house import DEPLOYMENT, SETTLE_S, daemon

OBSERVED = {name for name, rule in RULES.items() if rule.area in {Area.EVALUATION, Area.TELEMETRY, Area.SETS}}


def test_every_rule_of_the_three_areas_has_a_check_and_a_healthy_daemon_fires_none(tmp_path: Path) -> None:
    with daemon(tmp_path) as house:
        house.import_primes(20)
        house.replay()
        house.clock.advance_to(house.clock.now() + timedelta(minutes=11))  # the health of sets is computed then
        house.app.settle(SETTLE_S)
        [loop] = [one.loop for one in house.app.supervisor._workers if isinstance(one.loop, CheckLoop)]
        assert {rule for check in loop._checks for rule in check.rules} == OBSERVED
        lines = house.api.get("/metrics").text.splitlines()
    conditions = [line for line in lines if line.startswith("driftd_alert_conditions{")]
    seen = {found.group(1) for line in conditions if (found := re.search(r'rule="(\w+)"', line))}
    # Without Kafka and without a budget there is no condition of these rules.
    assert seen == OBSERVED - {"KafkaStalled", "BudgetExhausted"}
    firing = [line for line in conditions if 'state="firing"' in line and not line.endswith(" 0.0")]
    assert firing == []
    assert any(f'deployment="{DEPLOYMENT}"' in line for line in conditions)
