"""The metrics of ingest: connections, authentication, the ingest queue, commits and Kafka."""

from monitor.telemetry.metric import QUICK_S, Metric

INGEST_METRICS = (
    Metric(
        name="driftd.intake.rows",
        kind="gauge",
        unit="{row}",
        description="Rows in the ingest queue that are not committed yet.",
    ),
    Metric(
        name="driftd.ingest.paused",
        kind="gauge",
        unit="{pause}",
        description="1 while driftd stores no new records because its disk has less than the reserve, else 0.",
    ),
    Metric(
        name="driftd.intake.capacity",
        kind="gauge",
        unit="{row}",
        description="Capacity of the ingest queue in rows. When it is full, senders get 429.",
    ),
    Metric(
        name="driftd.connections.open",
        kind="gauge",
        unit="{connection}",
        description="Open connections of an HTTP listener.",
        labels=("listener",),
    ),
    Metric(
        name="driftd.connections.closed",
        kind="counter",
        unit="{connection}",
        description=(
            "Connections that an HTTP listener closed: replaced and refused because of their number, "
            "slow_headers, idle and stalled because of a timeout, handshake and plain_http without TLS."
        ),
        labels=("listener", "reason"),
    ),
    Metric(
        name="driftd.tls.certificate.expires",
        kind="gauge",
        unit="s",
        description="Unix time at which the certificate of a listener expires. Only listeners with TLS have it.",
        labels=("listener",),
    ),
    Metric(
        name="driftd.tls.reloads",
        kind="counter",
        unit="{reload}",
        description="Changed certificates of a listener, by result: loaded, or failed (the old one stays in use).",
        labels=("listener", "result"),
    ),
    Metric(
        name="driftd.api.rate_limited",
        kind="counter",
        unit="{request}",
        description="Requests that got 429 because their token sent more than `api.rate_limit` allows.",
    ),
    Metric(
        name="driftd.auth.failures",
        kind="counter",
        unit="{request}",
        description=(
            "Requests with an unknown token: rejected (401), or throttled (429) after several from one address."
        ),
        labels=("listener", "result"),
    ),
    Metric(
        name="driftd.ingest.batches",
        kind="counter",
        unit="{batch}",
        description="Batches of senders, by result: committed or failed.",
        labels=("result",),
    ),
    Metric(
        name="driftd.ingest.accepted",
        kind="counter",
        unit="{row}",
        description="New interactions and feedback that were committed.",
    ),
    Metric(
        name="driftd.ingest.duplicates",
        kind="counter",
        unit="{row}",
        description="Interactions and feedback that were stored before.",
    ),
    Metric(
        name="driftd.ingest.dead_letters",
        kind="counter",
        unit="{record}",
        description="Records that could not be decoded and were stored as dead letters.",
        labels=("source", "code"),
    ),
    Metric(
        name="driftd.ingest.unread",
        kind="counter",
        unit="{value}",
        description=(
            "Optional values of calls that could not be decoded. Their fields are empty, and the call keeps "
            "the original value."
        ),
        labels=("attribute",),
    ),
    Metric(
        name="driftd.ingest.refused",
        kind="counter",
        unit="{request}",
        description="Refused requests, by error code: intake_full is the 429.",
        labels=("transport", "code"),
    ),
    Metric(
        name="driftd.ingest.skipped",
        kind="counter",
        unit="{record}",
        description="Spans and log records that are not a model call and have no text of one.",
        labels=("signal",),
    ),
    Metric(
        name="driftd.feedback.unlinked",
        kind="gauge",
        unit="{record}",
        description="Feedback without an interaction: waiting for it, or given up after `ingest.feedback_wait_days`.",
        labels=("state",),
    ),
    Metric(
        name="driftd.ingest.commit.duration",
        kind="histogram",
        unit="s",
        description="Duration of a group commit.",
        buckets=QUICK_S,
    ),
    Metric(
        name="driftd.ingest.receipt.duration",
        kind="histogram",
        unit="s",
        description="Time from submit to acknowledgement of a batch.",
        buckets=QUICK_S,
    ),
    Metric(
        name="driftd.ingest.clock_ahead",
        kind="counter",
        unit="{call}",
        description=(
            "Calls with a start time more than a day after their arrival: the clock of their sender is ahead."
        ),
    ),
    Metric(
        name="driftd.kafka.records",
        kind="counter",
        unit="{record}",
        description="Records read from Kafka. Their rows are counted after the commit.",
        labels=("source", "topic"),
    ),
    Metric(
        name="driftd.kafka.lag",
        kind="gauge",
        unit="{record}",
        description="Records of a partition on the broker that are not stored yet.",
        labels=("source", "topic", "partition"),
    ),
    Metric(
        name="driftd.kafka.stalled",
        kind="gauge",
        unit="{partition}",
        description=(
            "Partitions with unread records and no progress for `stall_after_s`, stopped partitions, and all "
            "partitions of a stopped source."
        ),
        labels=("source",),
    ),
    Metric(
        name="driftd.kafka.lost",
        kind="counter",
        unit="{record}",
        description=(
            "Records that the broker removed before driftd read them, skipped because `on_data_loss` is skip."
        ),
        labels=("source",),
    ),
    Metric(
        name="driftd.results.rows",
        kind="counter",
        unit="{row}",
        description="Rows of results of other tools that were imported. `source` is upload for files sent to the API.",
        labels=("source",),
    ),
    Metric(
        name="driftd.results.imports",
        kind="counter",
        unit="{import}",
        description="Imports of results that ended, by result: complete or failed.",
        labels=("source", "result"),
    ),
    Metric(
        name="driftd.results.waiting",
        kind="gauge",
        unit="{import}",
        description="Imports of results that wait or run.",
        labels=("source",),
    ),
    Metric(
        name="driftd.results.age",
        kind="gauge",
        unit="s",
        description="Time since the newest complete import of results of a source.",
        labels=("source",),
    ),
)
