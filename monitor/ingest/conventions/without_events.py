"""Base of the conventions that send no log records of their own; their events follow the GenAI conventions."""

from monitor.errors import MalformedRecord
from monitor.ingest.conventions.texts.call_texts import Texts
from monitor.ingest.spans import OtlpLog


class WithoutEvents:
    """The part of `Convention` that reads log records."""

    def claims_log(self, record: OtlpLog) -> bool:  # noqa: ARG002  # the protocol's name
        return False

    def read_texts(self, record: OtlpLog) -> Texts:
        raise MalformedRecord(f"event {record.event_name!r} does not belong to this convention, which has no events")
