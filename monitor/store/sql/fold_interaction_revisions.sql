-- Start the revisions of all calls again: no fact is left.
UPDATE interaction SET revision = 0 WHERE revision > 0
