-- Which baseline was accepted from this finding?
SELECT * FROM baseline WHERE finding_id = $finding_id
