-- Set the parent of the revisions that were built from this one to the revision of the remaining cases.
UPDATE eval_set SET parent = $new WHERE name = $name AND parent = $old
