-- Which pages of traffic reports must exist?
SELECT path FROM traffic_report WHERE path IS NOT NULL
