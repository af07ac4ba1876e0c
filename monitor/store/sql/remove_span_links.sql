-- Remove the links of spans whose call did not arrive in time.
DELETE FROM span_link WHERE received_at < $before
