"""Eval sets: list revisions, import a new one."""

from collections.abc import Sequence

from fastapi import APIRouter
from fastapi.responses import Response

from monitor.api import encode
from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.body import WriteSet, model_body
from monitor.api.context import ApiContext, Context
from monitor.api.idempotency import write_once
from monitor.api.listing import ListQuery, as_list
from monitor.api.problems import InvalidRequest
from monitor.api.schema import ImportResult, ImportSet, ListPage, PublishedAs, SetItem, UnscoredCase
from monitor.domain.evalset import Provenance, SetKind
from monitor.domain.policy import SetPolicy
from monitor.errors import Conflict, UsageError, unknown
from monitor.store.engine.database import Tx
from monitor.store.sets import revisions as evalsets
from monitor.store.sets import sealed_sets
from replay.errors import CaseError
from replay.evalsets.case_codec import cases_from_json
from replay.evalsets.formats.native.native import NATIVE
from replay.evalsets.remarks import unscored
from replay.evalsets.sealing import Sealer
from replay.evalsets.turns import questions_asked
from replay.scorers.prescribed import scorer_differences
from replay.types import Case

router = APIRouter(prefix="/api/v1/sets", tags=["sets"])
MOST_IDS = 5  # ids in an error message


@router.get("", **needs(Role.READ))
def list_sets(context: Context, query: ListQuery) -> ListPage[SetItem]:
    """List every revision of every set; the newest of a name is the current one."""
    with context.store.read() as tx:
        page = as_list(evalsets.page(tx, query), encode.eval_set)
    return page.model_copy(update={"items": [_explained(context, item) for item in page.items]})


def _explained(context: ApiContext, item: SetItem) -> SetItem:
    """Add what the set measures, from the configuration."""
    policy = context.policy.sets.get(item.name)
    return item if policy is None else item.model_copy(update={"measures": policy.measures})


@router.post("", status_code=201, response_model=ImportResult, **needs(Role.OPERATE, **model_body(ImportSet)))
def import_set(context: Context, write: WriteSet) -> Response:
    """Import a revision of a configured set. 201 if it is new, 200 if the set already has this content."""
    order = write.parse(ImportSet)
    policy = configured(context, order.name)
    sealer = sealer_for(context, policy)
    _refuse_canary(policy, order)
    cases = cases_of(order)
    published = order.published or PublishedAs(format=NATIVE)
    lacking = [
        UnscoredCase(case_id=remark.case_id, reason=remark.text)
        for remark in unscored(cases, context.scorers_of(policy.name))
    ]

    differing = scorer_differences(published.scorers, context.scorers_of(policy.name))

    def work(tx: Tx) -> tuple[int, ImportResult]:
        if sealer is None and not order.allow_sealed:
            _refuse_sealed(context, tx, policy.name, cases)
        revision, new = sealed_sets.write_revision(
            tx,
            name=policy.name,
            kind=policy.kind,
            cases=cases,
            sealer=sealer,
            now=context.clock.now(),
            origin=order.origin,
            provenance=_provenance(published),
        )
        result = ImportResult(
            name=revision.name,
            revision=revision.revision,
            cases=revision.cases,
            new=new,
            unscored=lacking,
            format=published.format,
            metric=published.metric,
            prescribed=published.scorers,
            scorer_differences=differing,
        )
        return 201 if new else 200, result

    return write_once(context, write, work)


def _provenance(published: PublishedAs) -> Provenance:
    if published.format == NATIVE:
        return Provenance()
    return Provenance(
        format=published.format,
        licence=published.licence,
        source=published.source,
        benchmark_canary=published.canary,
    )


def _refuse_canary(policy: SetPolicy, order: ImportSet) -> None:
    """Raise UsageError for data with a canary, unless the set allows it."""
    if order.published is None or order.published.canary is None or policy.contamination_aware:
        return
    raise UsageError(
        f"{order.origin} has the canary of a benchmark: its authors ask to keep the data out of training corpora, and "
        f"a model that was trained on it answers from memory. Leave the file out, or set "
        f"sets.{policy.name}.contamination_aware: true if you read the verdicts with that in mind"
    )


def _refuse_sealed(context: ApiContext, tx: Tx, name: str, cases: Sequence[Case]) -> None:
    """Raise UsageError for a question of a sealed set, if a configured key recognizes it."""
    sealers = [sealer for each in context.policy.sets if (sealer := context.sealer_of(each)) is not None]
    known = evalsets.sealed_input_macs(tx) if sealers else set()
    found = [
        case.id
        for case in cases
        if any(mac in known for asked in questions_asked(case) for sealer in sealers for mac in sealer.macs(asked))
    ]
    if found:
        listed = ", ".join(found[:MOST_IDS]) + (", ..." if len(found) > MOST_IDS else "")
        raise UsageError(
            f"eval set {name!r} is not sealed, and {len(found)} of {len(cases)} cases have a question of a sealed set "
            f"({listed}); leave them out, or store them unsealed with allow_sealed (--allow-sealed)"
        )


def configured(context: ApiContext, name: str) -> SetPolicy:
    policy = context.policy.sets.get(name)
    if policy is None:
        raise unknown("eval set", name, context.policy.sets)
    return policy


def sealer_for(context: ApiContext, policy: SetPolicy) -> Sealer | None:
    if policy.kind is not SetKind.FROZEN:
        return None
    sealer = context.sealer_of(policy.name)
    if sealer is None:
        raise Conflict(f"eval set {policy.name!r} is frozen and has no encryption key; set sets.{policy.name}.key_file")
    return sealer


def cases_of(order: ImportSet) -> list[Case]:
    if not order.cases:
        raise InvalidRequest("body.cases: a revision needs at least one case")
    try:
        return cases_from_json(order.cases, "body.cases")
    except CaseError as error:
        raise InvalidRequest(str(error)) from None
