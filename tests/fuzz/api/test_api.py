"""A part of what `bench/fuzz_api.py` does for an hour."""

from pathlib import Path

from tests.fuzz.api.house import LIMITED, fuzzed_daemon, run
from tests.properties import ALL

SECONDS = 90 if ALL else 30
SEED = 20


def test_generated_requests_find_no_server_error_and_nothing_of_another_deployment(tmp_path: Path) -> None:
    with fuzzed_daemon(tmp_path) as daemon:
        found = run(daemon, LIMITED, seed=SEED, seconds=SECONDS)
        assert found.failures == []
        assert found.requests > 0
        assert daemon.http.get(f"{daemon.api}/readyz").status_code == 200
        assert daemon.stop() == 0
        assert [line for line in daemon.log.splitlines() if "level=error" in line] == []
