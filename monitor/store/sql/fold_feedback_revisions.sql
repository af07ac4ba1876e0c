-- Start the revisions of all signals again: no fact is left.
UPDATE feedback SET revision = 0 WHERE revision > 0
