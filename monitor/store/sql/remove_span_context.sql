-- Removes what spans said of calls that did not come in time.
DELETE FROM span_context WHERE received_at < $before
