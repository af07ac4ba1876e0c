-- Which sets have imported runs, by deployment?
SELECT DISTINCT deployment, set_name FROM run WHERE trigger = 'imported' ORDER BY deployment, set_name
