-- Store the verdicts of the batch on calls that are still stored. The time window avoids reading every id of the table.
INSERT INTO turn_signal BY NAME
SELECT batch.*, $revision AS revision
FROM batch
SEMI JOIN (SELECT id FROM current_interaction WHERE started_at BETWEEN $since AND $until) AS call
    ON call.id = batch.interaction_id
