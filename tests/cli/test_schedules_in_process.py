"""`driftd schedule` without a daemon: the real API and the loops run in the process of the command."""

from pathlib import Path

import yaml

from tests.cli.conftest import Run
from tests.cli.house import running_model, write_house
from tests.ports import free_port


def test_without_a_daemon_a_schedule_runs_is_paused_and_previewed_in_this_process(run: Run, tmp_path: Path) -> None:
    with running_model() as model:
        path = write_house(tmp_path, model_url=model.url, api_port=free_port())
        settings = yaml.safe_load(path.read_text())
        settings["schedules"] = {"nightly": {"cron": "0 2 * * *", "timezone": "Europe/Berlin"}}
        path.write_text(yaml.safe_dump(settings))
        assert run("sets", "import", "primes", tmp_path / "primes.jsonl", "--config", path).code == 0
        before = run("schedule", "preview", "--days", "1", "--config", path, "--json").document
        assert (before["replays"], before["calls"] >= 40, before["tokens"]) == (1, True, None)
        done = run("schedule", "run", "nightly", "--config", path, "--json")
        assert (done.code, [each["state"] for each in done.document["runs"]]) == (0, ["complete"])
        paused = run(
            "schedule", "pause", "nightly", "--as", "anna", "--for", "36h", "--config", path, "--json"
        ).document
        assert paused["pause"]["paused_by"] == "anna at the file"
        states = run("schedule", "preview", "--days", "3", "--config", path, "--json").document["occasions"]
        assert states[0]["state"] == "paused"
        assert states[-1]["state"] == "planned"
        assert run("schedule", "resume", "nightly", "--config", path).code == 0
        again = run("schedule", "resume", "nightly", "--config", path)
        assert (again.code, again.err.splitlines()[-1]) == (
            1,
            "schedule 'nightly' is not paused; `driftd schedule list` lists pauses",
        )
