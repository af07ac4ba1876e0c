-- How many of the newest production calls contain the canary of a set?
SELECT count(*) AS calls, min(started_at) AS first_at
FROM (
    SELECT started_at, input_text, output_text, system_prompt
    FROM current_interaction
    WHERE received_at >= $since AND origin = 'production' AND duplicate_of IS NULL
    ORDER BY received_at DESC
    LIMIT $most
)
WHERE contains(input_text, $canary) OR contains(output_text, $canary) OR contains(system_prompt, $canary)
