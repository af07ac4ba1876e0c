-- When did a judge last judge the active sentinels of each set? Before the first round: when the first one was added.
SELECT judge_sentinel.deployment, judge_sentinel.set_name,
    coalesce(max(sentinel_verdict."at"), min(judge_sentinel.added_at)) AS "at"
FROM judge_sentinel
LEFT JOIN sentinel_verdict ON sentinel_verdict.sentinel_id = judge_sentinel.id
    AND sentinel_verdict.round <> 'reference' AND sentinel_verdict.value IS NOT NULL
WHERE judge_sentinel.removed_at IS NULL
GROUP BY ALL
ORDER BY ALL
