-- Which tables and views does the file contain?
SELECT table_name FROM duckdb_tables() WHERE database_name = current_database() AND NOT temporary
UNION ALL
SELECT view_name FROM duckdb_views() WHERE database_name = current_database() AND NOT internal AND NOT temporary
ORDER BY 1
