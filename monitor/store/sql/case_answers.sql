-- How many answers of each case of a revision were scored and passed in these runs, on equal content?
-- `scored` and `passed` count the planned samples, which decide the verdict; `answers` and `passes` also the repeat.
-- The fresh samples for the severity gate are left out: their numbers are above that of a repeat.
WITH night AS (
    SELECT unnest($runs::VARCHAR[]) AS run_id, unnest(range(len($runs::VARCHAR[]))) AS night
),
answer AS (
    SELECT run_id, case_id, sample, bool_and(label = 'pass') AS passed
    FROM current_score
    WHERE decides IS NOT FALSE AND run_id IN (SELECT unnest($runs::VARCHAR[]))
    GROUP BY run_id, case_id, sample
    HAVING count(*) = count(value)
)
SELECT night.night, chosen.position,
    count(*) FILTER (WHERE answer.sample < run.samples) AS scored,
    count(*) FILTER (WHERE answer.sample < run.samples AND answer.passed) AS passed,
    count(*) AS answers, count(*) FILTER (WHERE answer.passed) AS passes
FROM night
JOIN run ON run.id = night.run_id
JOIN answer ON answer.run_id = night.run_id AND answer.sample <= run.samples
JOIN eval_case AS asked ON asked.set_name = run.set_name AND asked.revision = run.revision AND asked.case_id = answer.case_id
JOIN eval_case AS chosen ON chosen.set_name = run.set_name AND chosen.revision = $revision
    AND chosen.case_id = asked.case_id AND chosen.content_mac = asked.content_mac
GROUP BY night.night, chosen.position
