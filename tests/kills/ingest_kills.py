"""Send SIGKILL during ingest: acknowledged records are stored once, others are stored completely or not at all."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from time import monotonic, sleep

from tests.kills.batches import Sent
from tests.kills.file import Rows, rows_of, settle
from tests.kills.process import Daemon
from tests.kills.senders import Senders

SENDERS = 4
EARLY = 0.2  # share of kills that come while the daemon is still starting
LONGEST_S = 1.5  # after it answers


@dataclass(frozen=True, slots=True, kw_only=True)
class Kill:
    number: int
    at: str  # "starting" or "at work"
    after_s: float
    acknowledged: int  # batches, before it
    sent_again: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The state of the file at the end. All fields except the first three must be 0."""

    batches: int
    records: int
    sent_again: int
    lost: int
    twice: int
    torn: int  # batches that are there in part
    texts_wrong: int  # interactions whose texts are missing or doubled
    letters_wrong: int
    wrong_answers: int
    false_losses: int  # of starts that found rows missing after a kill

    @property
    def holds(self) -> bool:
        faults = (self.lost, self.twice, self.torn, self.texts_wrong, self.letters_wrong, self.wrong_answers)
        return not any(faults) and not self.false_losses


def ingest_kills(folder: Path, *, kills: int, seed: int, report: Callable[[Kill], None] = lambda _: None) -> Verdict:
    rng = Random(seed)
    with Daemon(folder=folder, model_url="http://127.0.0.1:9/v1") as daemon:
        senders = Senders(daemon.addresses, count=SENDERS, names=f"seed-{seed}")
        senders.start()
        try:
            for number in range(1, kills + 1):
                report(_kill(daemon, rng, senders, number))
            daemon.start()
            daemon.wait_ready()
            until_more(senders, len(senders.acknowledged) + SENDERS)
        finally:
            senders.finish()
        daemon.kill()
        settle(daemon)
        with rows_of(daemon.file) as rows:
            return judge(rows, senders)


def _kill(daemon: Daemon, rng: Random, senders: Senders, number: int) -> Kill:
    early = rng.random() < EARLY
    daemon.start()
    if not early:
        daemon.wait_ready()
    before = monotonic()
    after_s = rng.uniform(0.0, 1.5 if early else LONGEST_S)
    sleep(after_s)
    daemon.kill()
    return Kill(
        number=number,
        at="starting" if early else "at work",
        after_s=monotonic() - before,
        acknowledged=len(senders.acknowledged),
        sent_again=senders.again,
    )


def until_more(senders: Senders, wanted: int, patience_s: float = 60.0) -> None:
    until = monotonic() + patience_s
    while len(senders.acknowledged) < wanted:
        assert monotonic() < until, f"after the last start nothing is acknowledged any more: {senders.wrong}"
        sleep(0.02)


def judge(rows: Rows, senders: Senders) -> Verdict:
    interactions, feedback = rows.counts("interaction"), rows.counts("feedback")
    stored = interactions | feedback
    batches, left = senders.acknowledged, senders.left
    known = [key for batch in batches for key in (*batch.interactions, *batch.feedback)]
    return Verdict(
        batches=len(batches),
        records=len(known),
        sent_again=senders.again,
        lost=sum(key not in stored for key in known),
        twice=sum(count - 1 for counted in (interactions, feedback) for count in counted.values()),
        torn=sum(_torn(batch, stored) for batch in left),
        texts_wrong=_texts_wrong(rows, batches, interactions),
        letters_wrong=_letters_wrong(rows, batches),
        wrong_answers=len(senders.wrong),
        false_losses=rows.number("SELECT count(*) FROM loss"),
    )


def _torn(batch: Sent, stored: dict[str, int]) -> bool:
    there = [key in stored for key in (*batch.interactions, *batch.feedback)]
    return any(there) and not all(there)


def _texts_wrong(rows: Rows, batches: list[Sent], interactions: dict[str, int]) -> int:
    """Count calls without exactly one input and one output, whatever was resent."""
    found = rows.all(
        "SELECT id, json_array_length(input_messages), json_array_length(output_messages) FROM interaction"
        " WHERE source = 'otlp' AND id IN (SELECT unnest(?))",
        [key for batch in batches for key in batch.texts if key in interactions],
    )
    return sum((asked, answered) != (1, 1) for _, asked, answered in found)


def _letters_wrong(rows: Rows, batches: list[Sent]) -> int:
    """Count malformed records that are not stored exactly once."""
    found = Counter(
        bytes(raw).decode().partition('"name": "')[2][:32] for (raw,) in rows.all("SELECT raw FROM dead_letter")
    )
    return sum(found[name] != 1 for batch in batches for name in batch.letters)
