-- Which pages of traffic reports are still to be there?
SELECT path FROM traffic_report WHERE path IS NOT NULL
