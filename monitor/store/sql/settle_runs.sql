-- Record that the stored results of these runs are valid, with a digest of them.
INSERT INTO settled_run BY NAME
SELECT wanted.run_id, coalesce(CAST(bit_xor(hash(case_id, value, passed)) AS VARCHAR), '0') AS digest
FROM (SELECT unnest($run_ids::VARCHAR[]) AS run_id) AS wanted
LEFT JOIN case_verdict ON case_verdict.run_id = wanted.run_id
GROUP BY wanted.run_id
