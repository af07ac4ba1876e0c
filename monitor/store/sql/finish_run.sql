-- Marks a run as finished, with the conditions it ran under.
UPDATE run
SET state = $state, version = $version, finished_at = $at, manifest = $manifest, error = $error
WHERE id = $id
