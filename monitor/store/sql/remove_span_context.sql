-- Remove the contexts of spans whose calls did not arrive in time.
DELETE FROM span_context WHERE received_at < $before
