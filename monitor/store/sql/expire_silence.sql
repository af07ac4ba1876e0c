-- End a silence.
UPDATE silence SET expired_at = $at, expired_by = $by WHERE id = $id AND expired_at IS NULL
