"""The metrics of ingest: connections, authentication, the ingest queue, commits, Kafka and results of other tools."""

from monitor.telemetry.metric import QUICK_S, Metric

INGEST_METRICS: tuple[Metric, ...] = (
    Metric(
        name="driftd.intake.rows",
        kind="gauge",
        unit="{row}",
        description="Rows in the ingest queue that are not committed yet.",
        action="Compare it with the capacity. Near the capacity, see the runbook IngestLagging.",
    ),
    Metric(
        name="driftd.ingest.paused",
        kind="gauge",
        unit="{pause}",
        description="1 while driftd stores no new records because its disk has less than the reserve, else 0.",
        action="See the runbook IngestPaused.",
    ),
    Metric(
        name="driftd.intake.capacity",
        kind="gauge",
        unit="{row}",
        description="Capacity of the ingest queue in rows. When it is full, senders get 429.",
        action="`ingest.intake_max_rows` sets it. Raise it for short peaks only: it does not make the store faster.",
    ),
    Metric(
        name="driftd.intake.oldest.age",
        kind="gauge",
        unit="s",
        description="Age of the oldest batch in the ingest queue that is not committed yet; 0 without one.",
        action="Its sender waits. See the runbook IngestLagging.",
    ),
    Metric(
        name="driftd.connections.open",
        kind="gauge",
        unit="{connection}",
        description="Open connections of an HTTP listener.",
        action="Compare it with `connections.max_per_listener`, and with the limit of open files.",
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
        action=(
            "`replaced` and `refused`: raise the limit, or find the client that opens too many connections. "
            "`slow_headers` and `stalled`: look for an attack or a bad network."
        ),
        labels=(
            "listener",
            "reason",
        ),
    ),
    Metric(
        name="driftd.tls.certificate.expires",
        kind="gauge",
        unit="s",
        description="Unix time at which the certificate of a listener expires. Only listeners with TLS have it.",
        action="Renew the certificate before this time; driftd loads the new files without a restart.",
        labels=("listener",),
    ),
    Metric(
        name="driftd.tls.reloads",
        kind="counter",
        unit="{reload}",
        description="Changed certificates of a listener, by result: loaded, or failed (the old one stays in use).",
        action="After `failed`, read the log: the new certificate or its key cannot be used.",
        labels=(
            "listener",
            "result",
        ),
    ),
    Metric(
        name="driftd.api.rate_limited",
        kind="counter",
        unit="{request}",
        description="Requests that got 429 because their token sent more than `api.rate_limit` allows.",
        action="Find the client in the audit log, or raise `api.rate_limit`.",
    ),
    Metric(
        name="driftd.auth.failures",
        kind="counter",
        unit="{request}",
        description=(
            "Requests with an unknown token: rejected (401), or throttled (429) after several from one address."
        ),
        action=(
            "`rejected`: correct the token of a client. `throttled`: somebody guesses tokens, so find the address"
            " in the audit log."
        ),
        labels=(
            "listener",
            "result",
        ),
    ),
    Metric(
        name="driftd.ingest.batches",
        kind="counter",
        unit="{batch}",
        description="Batches of senders, by result: committed or failed.",
        action="After `failed`, read the log and check the disk: senders repeat these batches.",
        labels=("result",),
    ),
    Metric(
        name="driftd.ingest.accepted",
        kind="counter",
        unit="{row}",
        description="New interactions and feedback that were committed.",
        action="A rate of zero with senders that run means that no record arrives: see the runbook TrafficStopped.",
    ),
    Metric(
        name="driftd.ingest.duplicates",
        kind="counter",
        unit="{row}",
        description="Interactions and feedback that were stored before.",
        action="Some are normal, because senders repeat. Many mean that two pipelines send the same records.",
    ),
    Metric(
        name="driftd.ingest.dead_letters",
        kind="counter",
        unit="{record}",
        description="Records that could not be decoded and were stored as dead letters.",
        action="Read them with `driftd db dead-letters`; see the runbook DeadLetters.",
        labels=(
            "source",
            "code",
        ),
    ),
    Metric(
        name="driftd.ingest.unread",
        kind="counter",
        unit="{value}",
        description=(
            "Optional values of calls that could not be decoded. Their fields are empty, and the call keeps the "
            "original value."
        ),
        action="Correct the sender of the attribute; the call is stored without this value.",
        labels=("attribute",),
    ),
    Metric(
        name="driftd.ingest.refused",
        kind="counter",
        unit="{request}",
        description="Refused requests, by error code: intake_full is the 429.",
        action="See the runbook IngestRejecting. `intake_full` repairs itself when the peak ends.",
        labels=(
            "transport",
            "code",
        ),
    ),
    Metric(
        name="driftd.ingest.skipped",
        kind="counter",
        unit="{record}",
        description="Spans and log records that are not a model call and have no text of one.",
        action="None. A sender that sends all its spans has many.",
        labels=("signal",),
    ),
    Metric(
        name="driftd.feedback.unlinked",
        kind="gauge",
        unit="{record}",
        description=("Feedback without an interaction: waiting for it, or given up after `ingest.feedback_wait_days`."),
        action="Many in `given_up` mean that the ids of feedback are not those of calls: see connect.md.",
        labels=("state",),
    ),
    Metric(
        name="driftd.ingest.commit.duration",
        kind="histogram",
        unit="s",
        description="Duration of a group commit.",
        action="A rising value means a slow disk or a long query; see the runbook IngestLagging.",
        buckets=QUICK_S,
    ),
    Metric(
        name="driftd.ingest.receipt.duration",
        kind="histogram",
        unit="s",
        description="Time from submit to acknowledgement of a batch.",
        action="Senders wait for this time. See the runbook IngestLagging.",
        buckets=QUICK_S,
    ),
    Metric(
        name="driftd.ingest.clock_ahead",
        kind="counter",
        unit="{call}",
        description=(
            "Calls with a start time more than a day after their arrival: the clock of their sender is ahead."
        ),
        action="Correct the clock of the sender: its calls would count for a later day.",
    ),
    Metric(
        name="driftd.kafka.records",
        kind="counter",
        unit="{record}",
        description="Records read from Kafka. Their rows are counted after the commit.",
        action="A rate of zero with a growing lag means a stalled source: see the runbook KafkaStalled.",
        labels=(
            "source",
            "topic",
        ),
    ),
    Metric(
        name="driftd.kafka.lag",
        kind="gauge",
        unit="{record}",
        description="Records of a partition on the broker that are not stored yet.",
        action=(
            "A growing value means that driftd reads more slowly than the topic grows; see the runbook IngestLagging."
        ),
        labels=(
            "source",
            "topic",
            "partition",
        ),
    ),
    Metric(
        name="driftd.kafka.stalled",
        kind="gauge",
        unit="{partition}",
        description=(
            "Partitions with unread records and no progress for `stall_after_s`, stopped partitions, and all "
            "partitions of a stopped source."
        ),
        action="See the runbook KafkaStalled.",
        labels=("source",),
    ),
    Metric(
        name="driftd.kafka.lost",
        kind="counter",
        unit="{record}",
        description=(
            "Records that the broker removed before driftd read them, skipped because `on_data_loss` is skip."
        ),
        action="These records are gone. Raise the retention of the topic, or reduce the lag.",
        labels=("source",),
    ),
    Metric(
        name="driftd.kafka.taken_over",
        kind="counter",
        unit="{batch}",
        description=(
            "Batches that the store refused, because another process read the partition meanwhile. The records are "
            "stored once."
        ),
        action=(
            "A few are normal when processes start, stop or freeze. If the number grows steadily, processes lose their "
            "membership in the consumer group: look at their load and memory."
        ),
        labels=("source",),
    ),
    Metric(
        name="driftd.results.rows",
        kind="counter",
        unit="{row}",
        description=(
            "Rows of results of other tools that were imported. `source` is upload for files sent to the API."
        ),
        action="None.",
        labels=("source",),
    ),
    Metric(
        name="driftd.results.imports",
        kind="counter",
        unit="{import}",
        description="Imports of results that ended, by result: complete or failed.",
        action="After `failed`, see the runbook ResultsNotImported.",
        labels=(
            "source",
            "result",
        ),
    ),
    Metric(
        name="driftd.results.waiting",
        kind="gauge",
        unit="{import}",
        description="Imports of results that wait or run.",
        action="A growing value: see the loop `result-import` in `driftd db info`.",
        labels=("source",),
    ),
    Metric(
        name="driftd.results.age",
        kind="gauge",
        unit="s",
        description="Time since the newest complete import of results of a source.",
        action="Compare it with how often the other tool runs; see the runbook ResultsNotImported.",
        labels=("source",),
    ),
)
