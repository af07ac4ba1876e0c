"""Loaded by schemathesis (SCHEMATHESIS_HOOKS): a check that no answer has a canary, and the count of statuses.

DRIFTD_FUZZ_CANARY is the text that the sender must not see; empty for a sender without a limit. The counts are written
to DRIFTD_FUZZ_COUNTS when the process ends.
"""

import atexit
import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import schemathesis

CANARY = os.environ.get("DRIFTD_FUZZ_CANARY", "")
STATUSES: Counter[int] = Counter()


@schemathesis.check
def no_leak_between_deployments(_ctx: Any, response: Any, case: Any) -> None:
    STATUSES[response.status_code] += 1
    if not CANARY or CANARY not in response.text:
        return
    request = response.request  # an error may quote what the sender itself sent
    body = request.body.decode(errors="replace") if isinstance(request.body, bytes) else str(request.body)
    if CANARY not in str(request.url) and CANARY not in body:
        raise AssertionError(f"{case.method} {case.path}: the answer has data of another deployment")


def _write() -> None:
    Path(os.environ["DRIFTD_FUZZ_COUNTS"]).write_text(json.dumps(STATUSES))


atexit.register(_write)
