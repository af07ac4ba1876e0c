-- Which prompt of this digest did the deployment's replays send?
SELECT text, is_template, prompt_id, prompt_version FROM replayed_prompt WHERE deployment = $deployment AND digest = $digest
