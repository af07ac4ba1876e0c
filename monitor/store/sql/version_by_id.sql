-- Which version of the deployment has this id?
SELECT * FROM version WHERE deployment = $deployment AND id = $id
