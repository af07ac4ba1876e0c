-- Removes the text that was told with the version before.
DELETE FROM prompt WHERE deployment = $deployment AND version = $version
