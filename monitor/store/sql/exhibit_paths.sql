-- Which pages of exhibits are still to be there?
SELECT path FROM exhibit WHERE path IS NOT NULL
