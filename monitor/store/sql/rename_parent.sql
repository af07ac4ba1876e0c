-- Lets the revisions that grew from this one name what is left of it.
UPDATE eval_set SET parent = $new WHERE name = $name AND parent = $old
