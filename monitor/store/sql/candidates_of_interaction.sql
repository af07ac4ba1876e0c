-- Which candidates did the feedback on this interaction propose or join?
SELECT feedback_id, id AS candidate_id, state FROM candidate WHERE interaction_id = $id
UNION
SELECT candidate_member.correction_id, candidate.id, candidate.state
FROM candidate_member
JOIN candidate ON candidate.id = candidate_member.candidate_id
WHERE candidate_member.interaction_id = $id
ORDER BY feedback_id, candidate_id
