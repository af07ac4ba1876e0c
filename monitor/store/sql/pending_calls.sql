-- Which calls of the batch still have a turn of the user? They were received in [since, until]. The newest first.
SELECT interaction.*
FROM current_interaction AS interaction
SEMI JOIN batch ON batch.id = interaction.id
WHERE deployment = $deployment AND origin = 'production' AND duplicate_of IS NULL
    AND received_at BETWEEN $since AND $until
    AND content_state <> 'absent' AND trim(input_text, $space) <> ''
    AND json_extract_string(input_messages, '$[#-1].role') = 'user'
ORDER BY received_at DESC, id DESC
