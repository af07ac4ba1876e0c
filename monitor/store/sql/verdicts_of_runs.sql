-- What is the newest finding of each of these runs? A run without a finding has no row.
SELECT candidate_run AS run_id, verdict, reason
FROM finding
WHERE list_contains($run_ids::VARCHAR[], candidate_run)
QUALIFY row_number() OVER (PARTITION BY candidate_run ORDER BY "at" DESC, id DESC) = 1
