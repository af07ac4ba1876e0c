-- Remember a text of a group of alerts for a receiver (a small control table: a key is acceptable).
INSERT OR REPLACE INTO receiver_state (receiver, group_id, value, stored_at) VALUES ($receiver, $group_id, $value, $stored_at)
