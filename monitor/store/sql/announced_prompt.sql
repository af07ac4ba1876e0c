-- Which text was announced with the version?
SELECT text FROM prompt WHERE deployment = $deployment AND version = $version
