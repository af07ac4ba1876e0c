-- Count one more crash of a loop on this run.
UPDATE run SET crashes = crashes + 1 WHERE id = $id
