-- Has anything happened that the state of the replays depends on?
SELECT
    (SELECT count(*) FROM run) AS runs,
    (SELECT max(finished_at) FROM run) AS finished,
    (SELECT max(retry_at) FROM run) AS retry,
    (SELECT count(*) FROM finding) AS findings,
    (SELECT count(*) FROM planned_instant) AS instants,
    (SELECT count(*) FROM eval_set) AS revisions
