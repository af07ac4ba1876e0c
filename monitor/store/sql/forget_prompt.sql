-- Remove the text that was announced earlier for the version.
DELETE FROM prompt WHERE deployment = $deployment AND version = $version
