-- Which traffic report has this id?
SELECT * FROM traffic_report WHERE id = $id
