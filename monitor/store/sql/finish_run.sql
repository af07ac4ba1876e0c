-- End a run, with its conditions and its result.
UPDATE run
SET state = $state, version = $version, finished_at = $at, manifest = $manifest, error = $error,
    stopped_by = $stopped_by, cases_attempted = $cases_attempted, retry_at = NULL, crashes = 0
WHERE id = $id
