from dataclasses import replace
from pathlib import Path

import duckdb

from monitor.domain.baseline import AcceptedBaseline
from monitor.domain.detectable import DetectableEffect
from monitor.domain.evidence import CaseOverlap, ChannelEvidence, ConsistencyEvidence, Evidence, NoiseEvidence
from monitor.domain.production import Series
from monitor.store.engine.database import Store, Tx
from monitor.store.engine.json_columns import from_json, to_json
from monitor.store.engine.migrations import known_migrations, migrate
from monitor.store.engine.pagination import PageQuery
from monitor.store.findings import baselines, findings
from monitor.store.findings.finding_json import evidence_from_json, evidence_to_json
from tests.store.build import HandClock, at, finding

FULL = Evidence(
    phase="silent",
    nights=9,
    baseline_nights=6,
    baseline_first_run="r1",
    baseline_last_run="r6",
    case_overlap=CaseOverlap(cases=100, carried_over=40, revisions=2),
    trigger="silent",
    kind="score",
    channel="overall",
    onset_run="r7",
    onset_at=at(7),
    delta=-0.02,
    interval=(-0.03, -0.01),
    interval_new_cases=(-0.05, 0.01),
    e=812.5,
    e_needed=700.0,
    channels=(ChannelEvidence(kind="score", channel="prime", e=3.0, e_needed=700.0),),
    noise=NoiseEvidence(
        nights=6,
        within_variance=0.08,
        night_variance=0.0001,
        night_interval=(0.0, 0.0004),
        detectable=(DetectableEffect(scenario="announced", nights=7, effect=0.03),),
    ),
    not_tested=("categories: the cases have only one",),
    consistency=ConsistencyEvidence(
        cases=100,
        nights=2,
        pairs="nights",
        before=0.04,
        after=0.12,
        delta=0.08,
        interval=(0.05, 0.11),
        p=1e-6,
        p_needed=0.02,
        direction="less",
    ),
)
BARE = Evidence(
    phase="learning",
    nights=1,
    baseline_nights=0,
    baseline_first_run=None,
    baseline_last_run=None,
    case_overlap=CaseOverlap(cases=3, carried_over=0, revisions=1),
)


def accepted(name: str, minute: float, **fields: str) -> AcceptedBaseline:
    known = {"deployment": "support", "set_name": "primes", "finding_id": f"finding of {name}"}
    return AcceptedBaseline(
        id=name, run_id="r7", counts_from=at(minute), at=at(minute), who="ana", reason="fine", **{**known, **fields}
    )


def test_evidence_of_a_release_without_consistency_is_read() -> None:
    old = {name: value for name, value in from_json(evidence_to_json(FULL)).items() if name != "consistency"}
    assert evidence_from_json(to_json(old)) == replace(FULL, consistency=None)


def test_evidence_comes_back_as_it_was(tx: Tx) -> None:
    for name, evidence in (("f1", FULL), ("f2", BARE), ("f3", None)):
        findings.insert(tx, finding(name, evidence=evidence))
        kept = findings.get(tx, name)
        assert kept is not None
        assert kept.evidence == evidence


def test_the_newest_baseline_of_a_set_is_the_current_one_and_the_old_ones_stay_listed(tx: Tx) -> None:
    assert baselines.current(tx, "support", "primes") is None
    for each in (accepted("b1", 1), accepted("b3", 3), accepted("b2", 2), accepted("b4", 4, set_name="other")):
        baselines.accept(tx, each, None)
    assert baselines.current(tx, "support", "primes") == accepted("b3", 3)
    assert [b.id for b in baselines.page(tx, PageQuery(limit=10)).items] == ["b4", "b3", "b2", "b1"]


def test_each_production_series_has_its_newest_baseline(tx: Tx) -> None:
    def of(name: str, minute: float, series: str, deployment: str = "support") -> AcceptedBaseline:
        one = accepted(name, minute, series=series, deployment=deployment)
        return replace(one, set_name=None, run_id=None)

    rows = [of("b3", 3, "cost"), of("b2", 2, "cost"), of("b1", 1, "latency"), of("b4", 4, "latency", "search")]
    for each in (*rows, accepted("b5", 5)):
        baselines.accept(tx, each, None)
    assert baselines.current_of_series(tx, "support") == {Series.COST: rows[0], Series.LATENCY: rows[2]}
    assert baselines.current_of_series(tx, "other") == {}


def test_a_finding_is_accepted_once_and_its_ending_is_a_finding(tx: Tx) -> None:
    baselines.accept(tx, accepted("b1", 1, finding_id="f1"), finding("f2"))
    found = baselines.of_finding(tx, "f1")
    assert found is not None
    assert found.id == "b1"
    assert baselines.of_finding(tx, "f2") is None
    assert [each.id for each in findings.unalerted(tx)] == ["f2"]


def test_a_file_of_the_schema_before_keeps_its_findings(path: Path) -> None:
    before = known_migrations()[:4]
    with duckdb.connect(str(path)) as old:
        migrate(old, before, path, at(0))
        old.execute(
            "INSERT INTO finding BY NAME SELECT 'f' AS id, 'support' AS deployment, now() AS at, 'score' AS signal, "
            "'overall' AS segment, 'primes' AS set_name, 'frozen' AS set_kind, 'ok' AS verdict, 'info' AS severity, "
            "'nothing moved' AS reason, 0.05 AS alpha, 'r' AS candidate_run, true AS alerted"
        )
    store = Store.open(path, clock=HandClock())
    with store.read() as tx:
        kept = findings.get(tx, "f")
    store.close()
    assert kept is not None
    assert (kept.reason, kept.evidence) == ("nothing moved", None)
