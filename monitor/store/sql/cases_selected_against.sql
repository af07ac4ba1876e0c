-- Which corrected cases of the revision did this version fail in production, and were replayed under another version?
SELECT DISTINCT eval_case.case_id
FROM eval_case
JOIN dynamic_case ON dynamic_case.set_name = eval_case.set_name AND dynamic_case.revision = eval_case.revision
    AND dynamic_case.case_id = eval_case.case_id
JOIN current_interaction AS interaction ON interaction.id = dynamic_case.interaction_id
JOIN eval_case AS replayed ON replayed.set_name = eval_case.set_name AND replayed.case_id = eval_case.case_id
JOIN run ON run.set_name = replayed.set_name AND run.revision = replayed.revision
WHERE eval_case.set_name = $set_name AND eval_case.revision = $revision AND eval_case.part = 'corrected'
    AND interaction.identity = $version
    AND run.deployment = $deployment AND run.state = 'complete' AND run.version IS NOT NULL AND run.version <> $version
