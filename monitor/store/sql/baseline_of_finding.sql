-- Which baseline began with this finding?
SELECT * FROM baseline WHERE finding_id = $finding_id
