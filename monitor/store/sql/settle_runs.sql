-- Record that the stored results of these runs are valid.
INSERT INTO settled_run BY NAME SELECT unnest($run_ids::VARCHAR[]) AS run_id
