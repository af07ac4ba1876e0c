"""Redact records before they are stored. monitor/ingest/normalize/normalizer.py calls this for every record."""

from collections.abc import Iterable
from functools import lru_cache, partial
from itertools import groupby
from typing import Any, Final

from msgspec.structs import force_setattr

from monitor.domain.feedback import Feedback
from monitor.domain.interaction import InheritedAttributes, Interaction, SpanContent
from monitor.ingest.redact import raw as raw_bytes
from monitor.ingest.redact.attributes import USER_KEYS, DroppedKeys
from monitor.ingest.redact.batch import SCANNED_TOGETHER, BatchRedactor, PrivateTexts
from monitor.ingest.redact.placeholder import Salted
from monitor.ingest.redact.rules import Rules, RulesByDeployment
from monitor.ingest.redact.texts import Found, TextRedactor
from monitor.ingest.redact.walk import changed, rewritten, rewritten_value

COUNTS: Final = "driftd.redacted"  # attribute of a call: the number of redacted values by kind
ATTRIBUTES: Final = "attributes"
USERS, USER_CHARS = 4096, 256  # remembered hashes: at most some megabytes


class _Steps:
    """The redaction steps of one deployment."""

    def __init__(self, rules: Rules, salted: Salted) -> None:
        self.rules = rules
        self.texts = TextRedactor(rules, salted)
        self.batches = BatchRedactor(self.texts, TextRedactor(rules, salted, identifier=True))
        self.dropped = DroppedKeys(rules.drop_attributes)


class Redactor:
    """Redacts records. The result depends on the salt only. A record without a change is returned as
    the same object.
    """

    def __init__(self, rules: RulesByDeployment, salt: bytes) -> None:
        self._salted = Salted(salt)
        self._known_users = lru_cache(USERS)(self._salted.user)
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
            for start in range(0, len(kept), SCANNED_TOGETHER):
                made += _redacted(kept[start : start + SCANNED_TOGETHER], steps)
        return tuple(made)

    def _with_user_and_attributes(self, item: Interaction, steps: _Steps) -> Interaction:
        """Hash the user ids in place. The same call again gives the same result."""
        if (user := self.user_of(item)) is not item.user_id:
            force_setattr(item, "user_id", user)
        if (kept := self._attributes(item, steps)) is not item.attributes:
            force_setattr(item, ATTRIBUTES, kept)
        return item

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
        return self._known_users(user_id) if len(user_id) <= USER_CHARS else self._salted.user(user_id)

    def _of(self, deployment: str | None) -> _Steps:
        return self._unnamed if deployment is None else self._own.get(deployment, self._default)

    def _attributes(self, item: Interaction, steps: _Steps) -> Any:
        kept = steps.dropped.without(item.attributes)
        named = USER_KEYS.intersection(kept) if steps.rules.hash_users else None
        if not named:
            return kept
        return {**kept, **{key: self.user(str(kept[key])) for key in named}}

    def _texts(self, item: Any, steps: _Steps) -> Any:
        private = steps.batches.private_texts([item])
        return rewritten(item, private.change(Found())) if private.records else item


def _redacted(items: list[Interaction], steps: _Steps) -> list[Interaction]:
    """Redact the calls with private texts, in place in the list."""
    private = steps.batches.private_texts(items)
    for index in private.records:
        items[index] = _without_private(items[index], private)
    return items


def _without_private(item: Interaction, private: PrivateTexts) -> Interaction:
    found = Found()
    change = private.change(found)
    clean: Interaction = rewritten(item, change)
    attributes = rewritten_value(dict(item.attributes), partial(change, ATTRIBUTES))
    if not found:
        return item
    counted: Interaction = changed(clean, {ATTRIBUTES: {**attributes, COUNTS: dict(sorted(found.items()))}})
    return counted
