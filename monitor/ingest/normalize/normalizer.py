"""Complete every decoded record before it is submitted: prompt hash, category, cost, identity, echoes, redaction."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime

from msgspec.structs import force_setattr, replace

from monitor.domain.feedback import Feedback
from monitor.domain.interaction import CostSource, Interaction
from monitor.domain.prices import PriceTable
from monitor.ingest.conventions.kept_attributes import bounded
from monitor.ingest.conventions.unread import UNREAD
from monitor.ingest.dead_letter import as_bytes, dead_letter
from monitor.ingest.intake import Batch
from monitor.ingest.json_text import storable_text
from monitor.ingest.normalize.cost import PriceLookup
from monitor.ingest.normalize.deployments import DeploymentRules
from monitor.ingest.normalize.replay_echo import EchoFilter
from monitor.ingest.otlp.decode import Decoded
from monitor.ingest.redact.redactor import Redactor
from monitor.ingest.spans import BadRecord
from monitor.store.traffic.dead_letters import DeadLetter
from replay.targets.prompt import prompt_hash

Identify = Callable[[str, Interaction], str | None]  # deployment, interaction -> digest of its identity fields

NO_RUNS: Mapping[str, str] = {}
NO_PRICES = PriceLookup(PriceTable(version="none"))


def _with_bounded_unread(item: Interaction) -> Interaction:
    """Truncate unread values. They stay whole until the echo filter has searched them for sealed cases."""
    if UNREAD not in item.attributes:
        return item
    names = item.attributes[UNREAD]
    return replace(item, attributes={**item.attributes, **{name: bounded(item.attributes[name]) for name in names}})


class Normalizer:
    """The steps for the records of all sources.

    `identify` is from monitor/changes, with the identity fields of a deployment.
    """

    def __init__(
        self,
        *,
        rules: DeploymentRules,
        identify: Identify,
        echo: EchoFilter,
        redactor: Redactor,
        prices: PriceLookup = NO_PRICES,
    ) -> None:
        self.rules = rules
        self.redactor = redactor
        self._prices = prices
        self._identify = identify
        self._echo = echo

    def interactions(self, items: Iterable[Interaction], runs: Mapping[str, str] = NO_RUNS) -> tuple[Interaction, ...]:
        """Return the interactions as they are stored: completed, and without texts that must not be stored.

        One call with many is faster than many calls. `runs` maps trace ids to the runs that their spans name. Derived
        fields and hashed users are written to the given objects, because a copy of fifty fields takes longer than both.
        The same call again gives the same result.
        """
        return self.redactor.interactions(
            _with_bounded_unread(self._echo.interaction(self._derived(item), runs.get(item.trace_id or "")))
            for item in items
        )

    def _derived(self, item: Interaction) -> Interaction:
        """Set the derived fields of the call.

        The prompt is hashed before the echo filter removes it. The hash reveals nothing.
        """
        if item.system_prompt and item.prompt_hash is None:
            force_setattr(item, "prompt_hash", prompt_hash(item.system_prompt))
        if item.category is None and (named := item.attributes.get(self.rules.category_attribute(item.deployment))):
            force_setattr(item, "category", str(named))
        if item.cost_usd is None and (cost_usd := self._prices.cost_of(item)) is not None:
            force_setattr(item, "cost_usd", cost_usd)
            force_setattr(item, "cost_source", CostSource.COMPUTED)
            force_setattr(item, "price_table", self._prices.version)
        if item.user_id is not None:
            force_setattr(item, "user_id", self.redactor.user_of(item))
        identity = self._identify(item.deployment, item)  # reads the hash of the prompt, so it comes last
        if identity != item.identity:
            force_setattr(item, "identity", identity)
        return item

    def feedback(self, items: Iterable[Feedback], runs: Mapping[str, str] = NO_RUNS) -> Iterator[Feedback]:
        """Yield the feedback without that on replays. `runs` maps trace ids to the runs that their spans name."""
        return (
            self.redactor.feedback(item) for item in items if self._echo.is_traffic(item, runs.get(item.trace_id or ""))
        )

    def otlp(self, decoded: Decoded, now: datetime) -> Batch:
        """Return one OTLP request as one batch."""
        contents = (self._echo.content(c, decoded.runs.get(c.trace_id)) for c in decoded.contents)
        return Batch(
            interactions=self.interactions(decoded.interactions, decoded.runs),
            feedback=tuple(self.feedback(decoded.feedback, decoded.runs)),
            contents=tuple(self.redactor.content(c) for c in contents if c is not None),
            span_contexts=tuple(
                self.redactor.span_context(s)
                for s in decoded.span_contexts
                if self._echo.is_traffic(s, decoded.runs.get(s.trace_id))
            ),
            links=decoded.links,
            dead_letters=tuple(self._dead_letter_of(b, decoded.runs.get(b.trace_id or ""), now) for b in decoded.bad),
        )

    def dead_letter(
        self, *, source: str, code: str, reason: str, raw: bytes, now: datetime, run: str | None = None
    ) -> DeadLetter:
        """Return a dead letter without sealed cases, texts of a replay or redacted values."""
        redacted = self.redactor.raw(self._echo.raw(raw, run))
        redacted_reason = self.redactor.text(storable_text(reason))  # the reason quotes the record
        return dead_letter(source=source, code=code, reason=redacted_reason, raw=redacted, now=now)

    def _dead_letter_of(self, bad: BadRecord, run: str | None, now: datetime) -> DeadLetter:
        return self.dead_letter(
            source="otlp", code="malformed", reason=bad.reason, raw=as_bytes(bad.raw), now=now, run=run
        )
