-- Why the file was written anew, or is to be. An order is written with the rows that go, and done when rewritten_at is
-- set: what was removed lies unreachable in the file until then. `removed` counts rows by table; no row holds content.

CREATE TABLE rewrite (
    id VARCHAR PRIMARY KEY, kind VARCHAR NOT NULL, "at" TIMESTAMPTZ NOT NULL, who VARCHAR NOT NULL, user_hash VARCHAR,
    removed VARCHAR NOT NULL, rewritten_at TIMESTAMPTZ
);

-- Which interaction each case of a dynamic set was made of, as its provenance says; NULL when it says something else.

CREATE VIEW dynamic_case AS
SELECT eval_case.set_name, eval_case.revision, eval_case.case_id,
    CASE WHEN eval_set.kind = 'dynamic' THEN nullif(
        regexp_extract(TRY(json_extract_string(decode(eval_case.content), '$.provenance')), '^interaction (.+)$', 1), ''
    ) END AS interaction_id
FROM eval_case
JOIN eval_set ON eval_set.name = eval_case.set_name AND eval_set.revision = eval_case.revision
WHERE eval_set.kind = 'dynamic';
