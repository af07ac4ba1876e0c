-- Which past revisions of dynamic sets are not referenced by any run?
SELECT name, revision
FROM eval_set
WHERE kind = 'dynamic' AND created_at < $before
    AND NOT EXISTS (FROM run WHERE run.set_name = eval_set.name AND run.revision = eval_set.revision)
    AND EXISTS (FROM eval_set AS newer WHERE newer.name = eval_set.name AND newer.created_at > eval_set.created_at)
ORDER BY name, revision
