-- How many cases with the same content have a verdict in both runs of a pair, over all pairs, and how many of them flipped?
WITH pair AS (
    SELECT unnest($before::VARCHAR[]) AS before_run, unnest($after::VARCHAR[]) AS after_run
),
verdict AS MATERIALIZED (
    SELECT run_id, case_id, passed
    FROM (FROM case_verdict UNION ALL FROM unsettled_case)
    WHERE value IS NOT NULL AND run_id IN (SELECT before_run FROM pair UNION ALL SELECT after_run FROM pair)
        AND ($cases::VARCHAR[] IS NULL OR case_id IN (SELECT unnest($cases::VARCHAR[])))
),
numbered AS (
    -- Two revisions that are compared have a number: a join of their long names would take most of the time.
    SELECT pair.before_run, pair.after_run, earlier.set_name, earlier.revision AS before_revision,
        later.revision AS after_revision,
        dense_rank() OVER (ORDER BY earlier.set_name, earlier.revision, later.revision) AS revisions
    FROM pair
    JOIN run AS earlier ON earlier.id = pair.before_run
    JOIN run AS later ON later.id = pair.after_run
    WHERE later.set_name = earlier.set_name
),
same AS (
    -- The cases that two revisions have in common.
    SELECT DISTINCT compared.revisions, first.case_id
    FROM (SELECT DISTINCT revisions, set_name, before_revision, after_revision FROM numbered) AS compared
    JOIN eval_case AS first ON first.set_name = compared.set_name AND first.revision = compared.before_revision
    JOIN eval_case AS second ON second.set_name = compared.set_name AND second.revision = compared.after_revision
        AND second.case_id = first.case_id AND second.content_mac = first.content_mac
)
SELECT count(*) AS n, count(*) FILTER (first.passed <> second.passed) AS discordant
FROM numbered
JOIN verdict AS first ON first.run_id = numbered.before_run
JOIN verdict AS second ON second.run_id = numbered.after_run AND second.case_id = first.case_id
JOIN same ON same.revisions = numbered.revisions AND same.case_id = first.case_id
