-- The noise of a set over the nights of a deployment, measured by a loop. `inputs` identifies what it was computed from,
-- `document` is the result as JSON. Other scores of a run remove the row.

CREATE TABLE set_noise (
    deployment VARCHAR NOT NULL, set_name VARCHAR NOT NULL, inputs VARCHAR NOT NULL, "document" VARCHAR NOT NULL
);
