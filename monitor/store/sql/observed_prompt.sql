-- Which system message has the newest traffic of the version, complete and not redacted?
SELECT system_prompt AS text, prompt_id, prompt_version
FROM current_interaction
WHERE deployment = $deployment AND identity = $version AND origin = 'production' AND duplicate_of IS NULL
    AND system_prompt IS NOT NULL AND content_state IN ('full', 'partial')
    AND NOT contains(attributes, '"driftd.redacted"') AND NOT regexp_matches(system_prompt, '<[a-z][a-z0-9_]*:[a-p]{12}>')
ORDER BY started_at DESC, id DESC
LIMIT 1
