-- Remove the entries of the review log whose candidate is removed: a reason may quote it.
DELETE FROM candidate_decision WHERE candidate_id NOT IN (SELECT id FROM candidate)
