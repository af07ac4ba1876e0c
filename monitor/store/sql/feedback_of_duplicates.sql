-- Which signals are linked to a call that is a duplicate now, and which report of it is kept?
SELECT signal.id AS feedback_id, i.duplicate_of AS interaction_id, signal.link_method AS "method", i.deployment, i.started_at
FROM current_feedback AS signal
JOIN current_interaction AS i ON i.id = signal.linked_interaction_id
WHERE i.duplicate_of IS NOT NULL AND i.received_at >= $since
