-- Marks a run as finished, with the conditions it ran under.
UPDATE run
SET state = $state, version = $version, finished_at = $at, manifest = $manifest, error = $error, cut_by = $cut_by,
    asked = $asked, retry_at = NULL, crashes = 0
WHERE id = $id
