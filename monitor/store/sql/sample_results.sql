-- What is the result of each sample of these runs, and of which case, distinguished by content? Repeats are left out.
WITH in_revision AS (
    SELECT unnest($runs::VARCHAR[]) AS run_id, unnest(range(len($runs::VARCHAR[]))) AS night
)
SELECT run.id AS run_id, eval_case.case_id, eval_case.content_mac, eval_case.category, sample_result.sample,
    sample_result.value, sample_result.failure_category
FROM in_revision
JOIN run ON run.id = in_revision.run_id
JOIN sample_result ON sample_result.run_id = run.id AND sample_result.sample < run.samples
JOIN eval_case ON eval_case.set_name = run.set_name AND eval_case.revision = run.revision
    AND eval_case.case_id = sample_result.case_id
ORDER BY in_revision.night, eval_case.case_id, sample_result.sample
