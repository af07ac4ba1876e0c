-- The prompts that replays sent, under the digest that their manifests hold: an old one can be put back.

CREATE TABLE replayed_prompt (
    deployment VARCHAR NOT NULL, digest VARCHAR NOT NULL, is_template BOOLEAN NOT NULL, text VARCHAR NOT NULL,
    prompt_id VARCHAR, prompt_version VARCHAR,
    PRIMARY KEY (deployment, digest)
);
