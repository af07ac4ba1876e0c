-- What is the newest measurement of each set and each group of deployments, with the figures of its day?
SELECT newest.set_name, newest.deployments, newest.revision, newest.computed_at, newest.runs, newest.concerns, figures.cases,
    figures.saturation, figures.distant, figures.budget, figures.max_exposure, figures.over_budget, figures.median_age_days
FROM set_health AS newest
JOIN set_health_day AS figures ON figures.set_name = newest.set_name AND figures.deployments = newest.deployments
    AND figures.computed_at = newest.computed_at
ORDER BY newest.set_name, newest.deployments
