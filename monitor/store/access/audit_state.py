"""The result of the last verification of the audit log."""

from collections.abc import Sequence

from monitor.domain.audit import Head
from monitor.domain.audit_chain import Verification
from monitor.store.access import audit
from monitor.store.engine.database import Store


class AuditChain:
    """Verifies the chain of a store. `last` is the last result; None before the first verification."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.last: Verification | None = None

    def verify(self, anchors: Sequence[Head] = ()) -> Verification:
        """Verify the whole chain, against the newest hash and further known ones.

        Further hashes are those of a person who may be wrong, so `last` ignores what only they show.
        """
        newest = self._store.audit_head  # before the read begins: the snapshot has at least this entry
        with self._store.read() as tx:
            found = audit.verify(tx, [newest, *anchors])
        if not anchors:
            self.last = found
        return found
