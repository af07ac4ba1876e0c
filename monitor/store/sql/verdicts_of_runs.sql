-- What was concluded of each of these runs, by its newest finding? One without a finding has no row.
SELECT candidate_run AS run_id, verdict, reason
FROM finding
WHERE list_contains($run_ids::VARCHAR[], candidate_run)
QUALIFY row_number() OVER (PARTITION BY candidate_run ORDER BY "at" DESC, id DESC) = 1
