-- How many candidates does each deployment have in each state, and how many of the proposed ones can be accepted as is?
SELECT deployment,
    count(*) FILTER (WHERE state = 'proposed') AS proposed,
    count(*) FILTER (
        WHERE state = 'proposed' AND (trim(expected, $space) <> '' OR must_include <> '[]' OR must_not <> '[]')
    ) AS ready,
    count(*) FILTER (WHERE state = 'accepted') AS accepted,
    count(*) FILTER (WHERE state = 'rejected') AS rejected
FROM candidate
GROUP BY deployment
