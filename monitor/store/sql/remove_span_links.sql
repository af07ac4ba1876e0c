-- Removes the links of spans that no call came for in time.
DELETE FROM span_link WHERE received_at < $before
