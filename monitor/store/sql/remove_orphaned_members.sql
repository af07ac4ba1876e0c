-- Remove the members of removed candidates, and the notes of skipped corrections whose call is removed.
DELETE FROM candidate_member
WHERE (candidate_id <> '' AND candidate_id NOT IN (SELECT id FROM candidate))
    OR (candidate_id = '' AND interaction_id NOT IN (SELECT id FROM current_interaction))
