-- How a call ended and why it failed in words of our own beside the sender's, what it cost, what it was given to read,
-- which attribute named session and user, and whether it is the second report of a call that is kept already.
-- What is stored already keeps its words: they become the sender's, and ours are derived as ingest derives them now.

ALTER TABLE interaction ADD COLUMN finish_reason_raw VARCHAR;
ALTER TABLE interaction ADD COLUMN error_type VARCHAR;
ALTER TABLE interaction ADD COLUMN cached_input_tokens BIGINT;
ALTER TABLE interaction ADD COLUMN reasoning_tokens BIGINT;
ALTER TABLE interaction ADD COLUMN usage_source VARCHAR;
ALTER TABLE interaction ADD COLUMN cost_usd DOUBLE;
ALTER TABLE interaction ADD COLUMN cost_source VARCHAR;
ALTER TABLE interaction ADD COLUMN price_table VARCHAR;
ALTER TABLE interaction ADD COLUMN ttft_ms DOUBLE;
ALTER TABLE interaction ADD COLUMN documents VARCHAR;
ALTER TABLE interaction ADD COLUMN conversation_source VARCHAR;
ALTER TABLE interaction ADD COLUMN user_source VARCHAR;
ALTER TABLE interaction ADD COLUMN dup_of VARCHAR;
ALTER TABLE span_content ADD COLUMN finish_reason_raw VARCHAR;

UPDATE interaction SET
    finish_reason_raw = finish_reason,
    finish_reason = CASE
        WHEN finish_reason IS NULL THEN NULL
        WHEN lower(finish_reason) IN ('stop', 'end_turn', 'stop_sequence', 'completed') THEN 'stop'
        WHEN lower(finish_reason) IN ('length', 'max_tokens', 'max_output_tokens') THEN 'length'
        WHEN lower(finish_reason) IN ('tool_calls', 'tool_call', 'tool_use', 'function_call') THEN 'tool_calls'
        WHEN lower(finish_reason) IN ('content_filter', 'refusal', 'safety') THEN 'content_filter'
        WHEN lower(finish_reason) IN ('error', 'failed') THEN 'error'
        ELSE 'other'
    END,
    error_type = error_class,
    error_class = CASE
        WHEN error_class IS NULL THEN NULL
        WHEN contains(lower(error_class), 'ratelimit') OR error_class IN ('rate_limit', '429') THEN 'rate_limit'
        WHEN contains(lower(error_class), 'timeout') THEN 'timeout'
        WHEN contains(lower(error_class), 'connection') OR contains(lower(error_class), 'connect') THEN 'connection'
        WHEN contains(lower(error_class), 'internalserver') OR contains(lower(error_class), 'overloaded')
            OR error_class IN ('server_error', '500', '502', '503', '529') THEN 'server_error'
        WHEN contains(lower(error_class), 'badrequest') OR error_class IN ('bad_request', '400') THEN 'bad_request'
        ELSE 'other'
    END,
    usage_source = CASE WHEN input_tokens IS NULL AND output_tokens IS NULL THEN 'absent' ELSE 'emitted' END;
UPDATE span_content SET finish_reason_raw = finish_reason;
