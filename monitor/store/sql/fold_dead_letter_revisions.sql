-- Start the revisions of these rows again: no fact is left.
UPDATE dead_letter SET revision = 0 WHERE revision > 0
