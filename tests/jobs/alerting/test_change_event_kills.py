"""A change event survives a kill at any step between the change and the record of its delivery."""

import subprocess
import sys
from pathlib import Path

from monitor.domain.alert import DeliveryState
from tests.alerting.notify.fakes.pagerduty import pagerduty
from tests.jobs.alerting.test_change_events import Deployment

ROOT = Path(__file__).parents[3]
DAEMON = """
import os, sys
from pathlib import Path
from tests.alerting.notify.fakes.vendor import Vendor
from tests.jobs.alerting.test_change_events import Deployment

folder, url, kill_at = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
bot = Deployment(folder, Vendor(url=url), "pager")
if kill_at == "after the change":
    bot.add_change("change-1")
    os._exit(9)
bot.changes.step()
if kill_at == "after the plan":
    os._exit(9)
receiver = bot.receivers[0]
send = receiver.send
def sent(notification):
    send(notification)
    os._exit(9)
receiver.send = sent
bot.notify[0].step()
"""


def test_a_kill_at_any_step_loses_no_event(tmp_path: Path) -> None:
    with pagerduty() as fake:
        for moment in ("after the change", "after the plan"):
            run_until_kill(tmp_path, fake.url, moment)
            assert fake.accepted == []
        run_until_kill(tmp_path, fake.url, "after the delivery")
        assert len(fake.accepted) == 1
        bot = Deployment(tmp_path, fake, "pager")
        bot.settle()
        assert len(fake.accepted) == 2, "the kill came before the record of the delivery: once more"
        assert [(row.alert_id, row.state) for row in bot.outbox()] == [("change-1", DeliveryState.SENT)]
        bot.close()


def run_until_kill(folder: Path, url: str, moment: str) -> None:
    """Run the loops of a daemon in a process that ends without any cleanup at a moment."""
    command = [sys.executable, "-c", DAEMON, str(folder), url, moment]
    assert subprocess.run(command, cwd=ROOT, check=False, timeout=60).returncode == 9
