-- When was the newest backup of the whole database read completely? Its reader discards it then.
SELECT max("at") AS "at"
FROM audit_entry
WHERE operation = 'POST /api/v1/backups/{id}/discard' AND object_id LIKE 'backup-%' AND status = 200
