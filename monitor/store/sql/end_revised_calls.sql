-- End the earlier rows of the calls that got a row of this revision.
INSERT INTO interaction_end BY NAME
SELECT id, revision, received_at
FROM interaction
WHERE revision = $revision
