-- Accepts or rejects a candidate.
UPDATE candidate SET state = $state, decided_at = $at, decided_by = $by WHERE id = $id
