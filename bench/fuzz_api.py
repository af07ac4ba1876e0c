"""Fuzz the HTTP API over its OpenAPI document with all checks of schemathesis, with tokens of all roles.

`python bench/fuzz_api.py --seconds 3600 --seed 1`. The time is shared by the tokens: one for each role, one with all
roles, and two that are limited to one of two deployments. Leaves with 1 when a check fails (no 5xx, no hang, answers as
documented, and nothing of the other deployment for a limited token), or when the daemon logged a bug.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from tests.fuzz.api.house import TOKENS, Result, fuzzed_daemon, run


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=300, help="of all tokens together (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the first token; others have the next ones")
    options = parser.parse_args()
    each = max(10, options.seconds // len(TOKENS))
    with tempfile.TemporaryDirectory(prefix="driftd-fuzz-") as folder, fuzzed_daemon(Path(folder)) as daemon:
        results = []
        for number, token in enumerate(TOKENS):
            results.append(run(daemon, token, seed=options.seed + number, seconds=each))
            _say(results[-1])
        is_ready = daemon.http.get(f"{daemon.api}/readyz").status_code == 200
        left, bugs = daemon.stop(), [line for line in daemon.log.splitlines() if "level=error" in line]
    requests, failures = sum(r.requests for r in results), sum(len(r.failures) for r in results)
    print(f"{requests} requests, {failures} failures, {len(bugs)} errors logged, ready: {is_ready}, exit code: {left}")
    print(*bugs[:20], sep="\n")
    return 0 if is_ready and left == 0 and not failures and not bugs else 1


def _say(result: Result) -> None:
    statuses = "  ".join(f"{status}: {count}" for status, count in sorted(result.statuses.items()))
    print(f"  seed {result.seed}  {result.token:15} {result.requests:7} requests  {statuses}", flush=True)
    for failure in result.failures:
        print(f"    FAILED {failure}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
