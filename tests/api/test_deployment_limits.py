"""Every route with a token that is limited to deployments, generated from the OpenAPI document of the application.

The strongest statement is that of non-interference: a sender gets the answers of a daemon that has no data, and no
configuration, of other deployments. A new route that forgets the limit gives another answer, and fails here.
"""

import hashlib
import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from monitor.api.auth import Role, Token, Tokens
from monitor.api.uploads import ResultUploads
from monitor.domain.policy import Policy
from monitor.ingest.results.import_limits import ImportLimits
from monitor.ingest.results.progress import ImportProgress
from monitor.ingest.results.spool import Spool
from monitor.store.traffic import dead_letters
from replay.scorers.table import build_scorer
from tests.api.house import House, open_house
from tests.api.policies import policy
from tests.api.records import interaction
from tests.api.rows import furnish
from tests.api.test_roles import BODIES, IDS, OPEN, QUERIES, SIGNED, dead_letter_of, routes

EVERYTHING_ELSE = frozenset(Role) - {Role.ADMIN}
ROOT, MINE, THEIRS = "the root token", "limited to bot", "limited to other-bot"
WHOLE_DAEMON = {  # answers about the whole daemon, with the status for a limited token
    ("GET", "/metrics"): 403,
    ("POST", "/api/v1/losses/acknowledge"): 200,  # no loss is visible, so none is acknowledged
}
CHANGING = re.compile(r'"(?:pid|store_bytes|free_bytes|intake_rows|database|now|config_path)":[^,}]+')
NEW_ID = re.compile(r"\b[a-z]+-\d{8}T\d{6}[^\"' ]*|\b(?:silence|import|test)-[0-9a-z-]{12,}")


def token(text: str, deployments: frozenset[str] | None, roles: frozenset[Role] = EVERYTHING_ELSE) -> Token:
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Token(name=text, sha256=digest, roles=roles, deployments=deployments)


def tokens() -> Tokens:
    return Tokens(
        [
            token(ROOT, None, frozenset(Role)),
            token(MINE, frozenset({"bot"})),
            token(THEIRS, frozenset({"other-bot"})),
        ]
    )


def separate(names: frozenset[str] = frozenset({"bot", "other-bot"})) -> Policy:
    """Return a configuration in which the two deployments share no set."""
    whole = policy()
    sets = {"bot": ("private", "corrections", "keyless"), "other-bot": ("unused",)}
    used = {name for deployment in names for name in sets[deployment]}
    return replace(
        whole,
        deployments={name: replace(whole.deployments[name], sets=sets[name]) for name in names},
        sets={name: each for name, each in whole.sets.items() if name in used},
        schedules=whole.schedules if "bot" in names else {},
    )


def opened(stack: ExitStack, folder: Path, known: Policy) -> House:
    uploads = ResultUploads(
        spool=Spool(folder / "spool"), limits=ImportLimits(max_bytes=1_000, max_files=1), progress=ImportProgress()
    )
    rescorer = build_scorer("exact", {})
    return stack.enter_context(
        open_house(folder, tokens=tokens(), known=known, rescorer_of=lambda *_: rescorer, uploads=uploads)
    )


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A daemon with rows of every kind of the deployment bot."""
    with ExitStack() as stack:
        house = opened(stack, tmp_path_factory.mktemp("furnished"), separate())
        furnish(house, ROOT)
        assert house.post("/api/v1/interactions", interaction(deployment="bot"), token=ROOT).status_code == 200
        with house.store.write() as tx:
            dead_letters.insert(tx, [dead_letter_of("dead-1"), dead_letter_of("dead-2")])
        yield house


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A daemon that has only the deployment other-bot, and no rows."""
    with ExitStack() as stack:
        yield opened(stack, tmp_path_factory.mktemp("empty"), separate(frozenset({"other-bot"})))


def ask(house: House, method: str, path: str, text: str) -> httpx.Response:
    url = path.replace("{id}", IDS.get(path, "missing")).replace("{name}", IDS.get(path, "missing"))
    body: dict[str, Any] = {"json": BODIES[path]} if method == "POST" else {}
    return house.ask(method, url, token=text, params=QUERIES.get(path, {}), **body)


def comparable(answer: httpx.Response) -> tuple[int, str]:
    """Return the status and the text without what every process has of its own."""
    return answer.status_code, NEW_ID.sub("ID", CHANGING.sub("", answer.text))


def rows_of_bot(house: House) -> dict[str, int]:
    with house.store.read() as tx:
        tables = [row[0] for row in tx._cursor.execute("SELECT table_name FROM duckdb_tables()").fetchall()]
        sums = "SELECT coalesce(sum(hash(t)::HUGEINT), 0)::VARCHAR FROM {} AS t"
        own = {"audit_entry", "idempotency", "watermark", "import_job", "dead_letter"}
        return {name: tx._cursor.execute(sums.format(name)).fetchall()[0][0] for name in tables if name not in own}


def test_a_limited_token_gets_the_answers_of_a_daemon_without_the_other_deployments(
    furnished: House, empty: House
) -> None:
    before, leaks = rows_of_bot(furnished), []
    for method, path, role in routes(furnished):
        if role is None or role == Role.ADMIN or path == "/api/v1/silences":
            continue  # a silence of another deployment is refused: the next test
        found, alone = (comparable(ask(house, method, path, THEIRS)) for house in (furnished, empty))
        if found != alone:
            leaks.append((method, path, found[0], found[1][:300], alone[0], alone[1][:300]))
    assert leaks == []
    assert rows_of_bot(furnished) == before


def test_the_same_requests_show_data_to_a_token_without_a_limit(furnished: House, empty: House) -> None:
    """Without this, the test above would pass over requests that find nothing."""
    seen = 0
    for method, path, role in routes(furnished):
        if method == "GET" and role not in {None, Role.ADMIN}:
            seen += comparable(ask(furnished, method, path, ROOT)) != comparable(ask(empty, method, path, ROOT))
    assert seen > 60


def test_a_token_limited_to_the_deployment_of_the_data_reads_it(furnished: House) -> None:
    hidden = set()
    for method, path, role in routes(furnished):
        if method == "GET" and role not in {None, Role.ADMIN}:
            mine, whole = (ask(furnished, method, path, text) for text in (MINE, ROOT))
            if comparable(mine) != comparable(whole):
                hidden.add(path)
    assert hidden == {
        "/api/v1/compactions",
        "/api/v1/compactions/{id}",
        "/api/v1/dead_letters",
        "/api/v1/dead_letters/{id}",
        "/api/v1/deployment-names",
        "/api/v1/deployments",
        "/api/v1/diagnoses",
        "/api/v1/overview",
        "/api/v1/receivers",
        "/api/v1/status",
        "/api/v1/whoami",
        "/metrics",
    }


def test_no_admin_route_opens_for_a_limited_token(furnished: House) -> None:
    for method, path, role in routes(furnished):
        if role == Role.ADMIN:
            assert ask(furnished, method, path, MINE).status_code == 403, (method, path)


def test_only_probes_and_signed_callbacks_are_without_a_token(furnished: House) -> None:
    assert {(method, path) for method, path, role in routes(furnished) if role is None} == OPEN
    assert SIGNED < OPEN
