-- What is the whole chain of the audit log, in the order of its numbers?
SELECT * FROM audit_entry ORDER BY number, hash
