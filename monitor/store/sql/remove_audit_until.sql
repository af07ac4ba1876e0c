-- Remove the oldest entries of the audit log, up to this number.
DELETE FROM audit_entry WHERE number <= $number
