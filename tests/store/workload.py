"""Transactions of every kind that ingest, the loops and people make, in any order; `n` selects the rows."""

from collections.abc import Callable

from hypothesis import strategies as st

from monitor.domain.feedback import CandidateState, Link, LinkMethod
from monitor.domain.policy import RetentionLimit
from monitor.domain.review import Action, Decision
from monitor.store.engine.database import Store, Tx
from monitor.store.findings import alerts
from monitor.store.maintenance import retention
from monitor.store.maintenance.erase_user import erase_user
from monitor.store.runs import outcomes, runs
from monitor.store.sets import candidates
from monitor.store.traffic import dead_letters, duplicates, feedback, interactions
from monitor.store.traffic import late_texts as content
from monitor.store.traffic.dead_letters import DeadLetter
from tests.store.build import START, alert, answer, at, candidate, interaction, run, score, span_content
from tests.store.build import feedback as signal
from tests.store.maintenance.test_retention import policy

USERS = 3


def calls(tx: Tx, n: int) -> None:
    """Return three calls of one user; every second step resends one of them."""
    fields = {"user_id": f"user-{n % USERS}", "trace_id": f"t{n}", "span_id": "s", "received_at": at(n)}
    interactions.insert(tx, [interaction(f"i{m}", started_at=at(m), **fields) for m in range(n, n + 3)])


def texts(tx: Tx, n: int) -> None:
    content.insert_content(tx, [span_content(f"t{n}", output_messages=(), system_prompt=f"be kind {n}")])


def join(tx: Tx, _: int) -> None:
    content.join_content(tx, at(100))


def mark_duplicates(tx: Tx, n: int) -> None:
    duplicates.mark(tx, {f"i{n}": f"i{n + 1}"}, since=START)


def signals(tx: Tx, n: int) -> None:
    feedback.insert(tx, [signal(f"f{n}", comment=f"bad {n}", at=at(n)), signal(f"f{n + 1}", at=at(n + 1))])


def link(tx: Tx, n: int) -> None:
    found = Link(feedback_id=f"f{n}", interaction_id=f"i{n}", method=LinkMethod.TRACE, deployment="support")
    feedback.set_links(tx, [found])


def propose(tx: Tx, n: int) -> None:
    candidates.insert(tx, [candidate(f"c{n}", interaction_id=f"i{n}")])


def decide(tx: Tx, n: int) -> None:
    accepted = candidate(f"c{n}", state=CandidateState.ACCEPTED, decided_by="me", decided_at=at(n))
    entry = Decision(
        id=f"d{n}",
        candidate_id=f"c{n}",
        deployment="support",
        at=at(n),
        who="me",
        action=Action.ACCEPT,
        state=CandidateState.ACCEPTED,
    )
    candidates.record(tx, [accepted], [entry])


def start(tx: Tx, n: int) -> None:
    if runs.get(tx, f"r{n}") is None:
        runs.insert(tx, run(f"r{n}"))
        runs.set_running(tx, f"r{n}", at(n))
        outcomes.append(tx, f"r{n}", [answer("case", score(1.0))], None)


def alarm(tx: Tx, n: int) -> None:
    alerts.upsert(tx, alert("a", updated_at=at(n)))
    alerts.upsert(tx, alert("a", updated_at=at(n + 1)))


def misread(tx: Tx, n: int) -> None:
    raw = f"user-{n % USERS}".encode()
    letter = DeadLetter(id=f"d{n}", received_at=at(n), source="http", code="malformed", reason="no JSON", raw=raw)
    dead_letters.insert(tx, [letter])


def erase(tx: Tx, n: int) -> None:
    erase_user(tx, f"user-{n % USERS}", at(n))


def expire(tx: Tx, n: int) -> None:
    retention.expire(tx, policy(interactions=RetentionLimit(max_age_s=None, max_rows=4 + n)), at(200))


KINDS = (calls, texts, join, mark_duplicates, signals, link, propose, decide, start, alarm, misread, erase, expire)
Step = tuple[Callable[[Tx, int], None], int]
steps = st.lists(st.tuples(st.sampled_from((*KINDS, calls, calls, signals)), st.integers(0, 8)), max_size=12)


def write(store: Store, step: Step) -> None:
    work, n = step
    with store.write() as tx:
        work(tx, n)
