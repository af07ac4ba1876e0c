"""A convention whose senders put everything on the span: what events they send are those of the GenAI conventions."""

from monitor.errors import MalformedRecord
from monitor.ingest.conventions.texts.call_texts import Texts
from monitor.ingest.spans import OtlpLog


class WithoutEvents:
    """The half of `Convention` that reads log records."""

    def claims_log(self, record: OtlpLog) -> bool:  # noqa: ARG002  # the protocol's name
        return False

    def read_texts(self, record: OtlpLog) -> Texts:
        raise MalformedRecord(f"event {record.event_name!r} is none of this convention, which sends none")
