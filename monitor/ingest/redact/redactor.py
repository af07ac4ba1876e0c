"""Redact records before they are stored. monitor/ingest/normalize/normalizer.py calls this for every record."""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any, Final

from monitor.domain.feedback import Feedback
from monitor.domain.interaction import InheritedAttributes, Interaction, SpanContent
from monitor.ingest.redact import raw as raw_bytes
from monitor.ingest.redact.attributes import USER_KEYS, DroppedKeys
from monitor.ingest.redact.batch_scan import joined
from monitor.ingest.redact.placeholder import Salted
from monitor.ingest.redact.rules import Rules, RulesByDeployment
from monitor.ingest.redact.texts import Found, TextRedactor
from monitor.ingest.redact.walk import IDENTIFIERS, changed, rewritten

COUNTS: Final = "driftd.redacted"  # attribute of a call: the number of redacted values by kind
FIRST_SCAN, LARGEST_SCAN = 8, 64  # records in one scan: at the beginning, and at most
PROMPTS, PROMPT_CHARS = 256, 16_384  # cached results for system prompts: some megabytes


class _Steps:
    """The redaction steps of one deployment."""

    def __init__(self, rules: Rules, salted: Salted) -> None:
        self.rules = rules
        self.texts = TextRedactor(rules, salted)
        self.identifiers = TextRedactor(rules, salted, identifier=True)
        self.dropped = DroppedKeys(rules.drop_attributes)
        self._remembered = lru_cache(PROMPTS)(self.texts.suspicious)

    def suspicious(self, records: Sequence[Any]) -> bool:
        """Return False when no text of the records needs redaction. The date in a model name is not a phone number."""
        found = joined(records)
        return (
            self.texts.suspicious(found.texts)
            or self.identifiers.suspicious(found.identifiers)
            or any(map(self._suspicious_again, found.repeated))
        )

    def which_suspicious(self, records: Sequence[Any]) -> list[bool]:
        """Return the result of `suspicious` for each record. A scan has a fixed cost, because it releases the
        interpreter lock. Therefore many records share a scan while nothing is found.
        """
        results: list[bool] = []
        many = FIRST_SCAN
        while some := records[len(results) : len(results) + many]:
            found = self.suspicious(some)
            results += [self.suspicious([one]) for one in some] if found and len(some) > 1 else [found] * len(some)
            many = max(1, many // 2) if found else min(LARGEST_SCAN, many * 2)
        return results

    def _suspicious_again(self, text: str) -> bool:
        return self._remembered(text) if len(text) <= PROMPT_CHARS else self.texts.suspicious(text)


class Redactor:
    """Redacts records. The result depends on the salt only. A record without a change is returned as
    the same object.
    """

    def __init__(self, rules: RulesByDeployment, salt: bytes) -> None:
        self._salted = Salted(salt)
        self._default = _Steps(rules.default, self._salted)
        self._own = {name: _Steps(own, self._salted) for name, own in rules.own.items()}
        self._unnamed = _Steps(rules.of(None), self._salted) if rules.own else self._default

    def interactions(self, items: Iterable[Interaction]) -> tuple[Interaction, ...]:
        """Redact texts, ids and attributes, and hash user ids. Counts of redacted values become an attribute. The order
        is kept. One call with many records is faster than many calls.
        """
        made: list[Interaction] = []
        for steps, own in groupby(items, key=lambda item: self._of(item.deployment)):
            kept = [self._with_user_and_attributes(item, steps) for item in own]
            found = steps.which_suspicious(kept)
            made += (self._redacted(i, steps) if f else i for i, f in zip(kept, found, strict=True))
        return tuple(made)

    def _with_user_and_attributes(self, item: Interaction, steps: _Steps) -> Interaction:
        new: dict[str, Any] = {}
        if (user := self.user_of(item)) != item.user_id:
            new["user_id"] = user
        if (kept := self._attributes(item, steps)) is not item.attributes:
            new["attributes"] = kept
        return changed(item, new) if new else item

    def _redacted(self, item: Interaction, steps: _Steps) -> Interaction:
        found = Found()
        clean: Interaction = rewritten(item, self._change(steps, found))
        attributes = steps.texts.value(dict(item.attributes), found)
        if not found:
            return item
        counted: Interaction = changed(clean, {"attributes": {**attributes, COUNTS: dict(sorted(found.items()))}})
        return counted

    def user_of(self, item: Interaction) -> str | None:
        """Return the stored user id of the record. A record with that id already need not be copied."""
        if item.user_id is None or not self._of(item.deployment).rules.hash_users:
            return item.user_id
        return self.user(item.user_id)

    def content(self, item: SpanContent, deployment: str | None = None) -> SpanContent:
        """Redact texts that arrived separately from their span. Without a deployment, the rules of all deployments
        apply.
        """
        redacted: SpanContent = self._texts(item, self._of(deployment))
        return redacted

    def span_context(self, item: InheritedAttributes) -> InheritedAttributes:
        """Redact the attributes that calls inherit from a span: ids, and texts of documents."""
        steps = self._of(item.deployment)
        if item.user_id is not None and steps.rules.hash_users:
            item = changed(item, {"user_id": self.user(item.user_id)})
        redacted: InheritedAttributes = self._texts(item, steps)
        return redacted

    def feedback(self, item: Feedback) -> Feedback:
        redacted: Feedback = self._texts(item, self._of(item.deployment))
        return redacted

    def raw(self, raw: bytes, deployment: str | None = None) -> bytes:
        """Redact an unreadable record: drop attributes and hash users as in other records."""
        steps = self._of(deployment)
        return raw_bytes.redacted(raw, steps.texts, self.user if steps.rules.hash_users else None, steps.dropped)

    def text(self, text: str, deployment: str | None = None) -> str:
        """Redact a single text, such as the reason of a dead letter, which quotes the record."""
        return self._of(deployment).texts.text(text, Found())

    def user(self, user_id: str) -> str:
        """Return the stored form of a user id, in every deployment that hashes user ids."""
        return self._salted.user(user_id)

    def _of(self, deployment: str | None) -> _Steps:
        return self._unnamed if deployment is None else self._own.get(deployment, self._default)

    def _attributes(self, item: Interaction, steps: _Steps) -> Any:
        kept = steps.dropped.without(item.attributes)
        named = USER_KEYS.intersection(kept) if steps.rules.hash_users else None
        if not named:
            return kept
        return {key: self.user(str(value)) if key in named else value for key, value in kept.items()}

    def _texts(self, item: Any, steps: _Steps) -> Any:
        if not steps.suspicious([item]):
            return item
        return rewritten(item, self._change(steps, Found()))

    @staticmethod
    def _change(steps: _Steps, found: Found) -> Callable[[str, str], str]:
        def change(name: str, text: str) -> str:
            return (steps.identifiers if name in IDENTIFIERS else steps.texts).text(text, found)

        return change
