"""Replaces API routes in error messages with the equivalent commands."""

import re
from collections.abc import Mapping

COMMANDS: Mapping[str, str] = {
    "GET /api/v1/alerts": "driftd alerts list",
    "GET /api/v1/baselines": "driftd drift baselines",
    "GET /api/v1/candidates": "driftd candidates list",
    "GET /api/v1/cases/history": "driftd sets case SET CASE",
    "GET /api/v1/cases/trends": "driftd sets cases SET",
    "GET /api/v1/changes": "driftd changes list",
    "GET /api/v1/comparisons/flips": "driftd compare RUN_A RUN_B --cases",
    "GET /api/v1/dead_letters": "driftd db dead-letters",
    "GET /api/v1/findings": "driftd drift list",
    "GET /api/v1/overview": "driftd status",
    "GET /api/v1/pins": "driftd drift baselines",
    "GET /api/v1/judges/sentinels": "driftd judges sentinels list",
    "GET /api/v1/rescores": "driftd judges rescores",
    "GET /api/v1/reports": "driftd report traffic",
    "GET /api/v1/results/imports": "driftd results imports",
    "GET /api/v1/audit": "driftd db audit-list",
    "GET /api/v1/compactions": "driftd db compactions",
    "GET /api/v1/reviews/conflicts": "driftd review conflicts",
    "GET /api/v1/runs": "driftd replay list",
    "GET /api/v1/schedules": "driftd schedule list",
    "GET /api/v1/sets": "driftd sets list",
    "GET /api/v1/silences": "driftd alerts silences",
    "GET /api/v1/tokens": "driftd tokens list",
    "GET /api/v1/turns": "driftd turns list",
    "POST /api/v1/runs": "driftd replay run DEPLOYMENT SET",
    "POST /api/v1/tokens": "driftd tokens create NAME --role ROLE",
    "POST /api/v1/sets": "driftd sets import SET FILE",
    "/api/v1/reports/": "driftd report show ",
}
_ROUTE = re.compile(r"(?:(?:GET|POST) )?/api/v1/[a-z_]+(?:/[a-z_]+(?![\w-])|/)?")


def in_commands(sentence: str) -> str:
    """Return the sentence with every known route replaced by its command.

    >>> in_commands("run 'x' is unknown; GET /api/v1/runs lists them")
    "run 'x' is unknown; `driftd replay list` lists them"
    >>> in_commands("its numbers are at /api/v1/reports/report-1")
    'its numbers are at `driftd report show report-1`'
    """
    sentence = re.sub(r"/api/v1/reports/([\w.-]+)", r"`driftd report show \1`", sentence)
    return _ROUTE.sub(lambda found: _command(found[0]), sentence)


def _command(route: str) -> str:
    command = COMMANDS.get(route)
    return f"`{command}`" if command else route
