-- Over which time are calls stored, and how many? The times are NULL without a call.
SELECT min(started_at) AS oldest, max(started_at) AS newest, count(*) AS calls FROM current_interaction
