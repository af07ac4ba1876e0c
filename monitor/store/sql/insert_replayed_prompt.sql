-- Store a prompt that a replay sends, once.
INSERT INTO replayed_prompt (deployment, digest, is_template, text, prompt_id, prompt_version)
SELECT $deployment, $digest, $is_template, $text, $prompt_id, $prompt_version
WHERE NOT EXISTS (SELECT 1 FROM replayed_prompt WHERE deployment = $deployment AND digest = $digest)
