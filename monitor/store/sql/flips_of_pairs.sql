-- How many cases with the same content have a verdict in both runs of a pair, over all pairs, and how many of them flipped?
WITH pair AS (
    SELECT unnest($before::VARCHAR[]) AS before_run, unnest($after::VARCHAR[]) AS after_run
),
verdict AS (
    SELECT run_id, case_id, passed
    FROM (FROM case_verdict UNION ALL FROM unsettled_case)
    WHERE value IS NOT NULL AND run_id IN (SELECT before_run FROM pair UNION ALL SELECT after_run FROM pair)
        AND ($cases::VARCHAR[] IS NULL OR case_id IN (SELECT unnest($cases::VARCHAR[])))
),
same AS (
    -- The cases that two revisions have in common.
    SELECT DISTINCT first.set_name, first.revision AS before_revision, second.revision AS after_revision, first.case_id
    FROM pair
    JOIN run AS earlier ON earlier.id = pair.before_run
    JOIN run AS later ON later.id = pair.after_run
    JOIN eval_case AS first ON first.set_name = earlier.set_name AND first.revision = earlier.revision
    JOIN eval_case AS second ON second.set_name = later.set_name AND second.revision = later.revision
        AND second.case_id = first.case_id AND second.content_mac = first.content_mac
)
SELECT count(*) AS n, count(*) FILTER (first.passed <> second.passed) AS discordant
FROM pair
JOIN run AS earlier ON earlier.id = pair.before_run
JOIN run AS later ON later.id = pair.after_run
JOIN verdict AS first ON first.run_id = pair.before_run
JOIN verdict AS second ON second.run_id = pair.after_run AND second.case_id = first.case_id
JOIN same ON same.set_name = earlier.set_name AND same.before_revision = earlier.revision
    AND same.after_revision = later.revision AND same.case_id = first.case_id
