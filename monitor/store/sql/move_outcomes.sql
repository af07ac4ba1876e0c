-- Append these outcomes to another run, with the values that are sealed for it.
INSERT INTO outcome BY NAME
SELECT moved.* REPLACE (
    $run_id AS run_id, batch.text_sealed AS text_sealed, batch.tool_calls_sealed AS tool_calls_sealed,
    batch.turns_sealed AS turns_sealed
)
FROM current_outcome AS moved
JOIN batch ON batch.run_id = moved.run_id AND batch.case_id = moved.case_id AND batch.sample = moved.sample
