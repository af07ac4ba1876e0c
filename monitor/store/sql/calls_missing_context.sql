-- Which attributes of other spans do calls lack, where the call or the span is new?
-- The parent span has priority, then the root span. Other spans count only if all of them agree. Each call of a trace is
-- compared with its parent and $most_spans other spans, roots and the newest first: a trace with thousands of calls and
-- thousands of spans would otherwise create millions of pairs. What a limited sender sent is inherited, and inherits, only
-- within its deployments.
WITH sent AS (
    SELECT *, row_number() OVER (senders ORDER BY parent_span_id IS NULL DESC, ended_at DESC, span_id) AS place,
        min(conversation_id) OVER senders = max(conversation_id) OVER senders AS one_conversation,
        min(user_id) OVER senders = max(user_id) OVER senders AS one_user
    FROM span_context
    WHERE received_at >= $calls_since
    WINDOW senders AS (PARTITION BY trace_id, limited_to)
),
trace AS (
    SELECT trace_id, max(received_at) >= $since AS is_new
    FROM sent
    GROUP BY trace_id
),
incomplete AS (
    SELECT id, trace.trace_id, parent_span_id, started_at, conversation_id, conversation_source, user_id, user_source,
        prompt_id, prompt_version, documents, deployment, limited_to
    FROM current_interaction AS interaction
    JOIN trace ON trace.trace_id = interaction.trace_id
    WHERE received_at >= $calls_since AND origin = 'production' AND (is_new OR received_at >= $since)
        AND (conversation_id IS NULL OR user_id IS NULL OR documents IS NULL OR prompt_id IS NULL)
),
pair AS (
    SELECT incomplete.id, incomplete.parent_span_id AS above, incomplete.started_at, incomplete.deployment AS of_call,
        incomplete.limited_to AS limit_of_call, sent.*
    FROM incomplete
    JOIN sent ON sent.trace_id = incomplete.trace_id AND sent.place <= $most_spans
    UNION ALL
    SELECT incomplete.id, incomplete.parent_span_id AS above, incomplete.started_at, incomplete.deployment AS of_call,
        incomplete.limited_to AS limit_of_call, sent.*
    FROM incomplete
    JOIN sent ON sent.trace_id = incomplete.trace_id AND sent.span_id = incomplete.parent_span_id AND sent.place > $most_spans
),
placed AS (
    SELECT pair.*, CASE
            WHEN span_id = above THEN 0
            WHEN parent_span_id IS NULL THEN 1
            ELSE 2
        END AS distance,
        distance < 2 OR one_conversation AS knows_conversation, distance < 2 OR one_user AS knows_user,
        documents IS NOT NULL AND ended_at <= started_at AS read_before
    FROM pair
    WHERE (limited_to IS NULL OR json_contains(limited_to, to_json(of_call)))
        AND (limit_of_call IS NULL OR json_contains(limit_of_call, to_json(deployment)))
),
inherited AS (
    SELECT id,
        first(conversation_id ORDER BY distance, span_id) FILTER (knows_conversation AND conversation_id IS NOT NULL) AS conversation_id,
        first(conversation_source ORDER BY distance, span_id)
            FILTER (knows_conversation AND conversation_id IS NOT NULL) AS conversation_source,
        first(user_id ORDER BY distance, span_id) FILTER (knows_user AND user_id IS NOT NULL) AS user_id,
        first(user_source ORDER BY distance, span_id) FILTER (knows_user AND user_id IS NOT NULL) AS user_source,
        first(prompt_id ORDER BY distance, span_id) FILTER (distance < 2 AND prompt_id IS NOT NULL) AS prompt_id,
        first(prompt_version ORDER BY distance, span_id) FILTER (distance < 2 AND prompt_id IS NOT NULL) AS prompt_version,
        list_reverse(arg_max(documents, {'at': ended_at, 'span': span_id}, $most_retrievals) FILTER (read_before)) AS documents
    FROM placed
    GROUP BY id
)
SELECT incomplete.id, incomplete.conversation_id IS NULL AND inherited.conversation_id IS NOT NULL AS fills_conversation,
    incomplete.user_id IS NULL AND inherited.user_id IS NOT NULL AS fills_user,
    incomplete.prompt_id IS NULL AND inherited.prompt_id IS NOT NULL AS fills_prompt,
    incomplete.documents IS NULL AND inherited.documents IS NOT NULL AS fills_documents,
    coalesce(incomplete.conversation_id, inherited.conversation_id) AS conversation_id,
    CASE WHEN incomplete.conversation_id IS NULL THEN inherited.conversation_source ELSE incomplete.conversation_source END AS conversation_source,
    coalesce(incomplete.user_id, inherited.user_id) AS user_id,
    CASE WHEN incomplete.user_id IS NULL THEN inherited.user_source ELSE incomplete.user_source END AS user_source,
    coalesce(incomplete.prompt_id, inherited.prompt_id) AS prompt_id,
    CASE WHEN incomplete.prompt_id IS NULL THEN coalesce(incomplete.prompt_version, inherited.prompt_version) ELSE incomplete.prompt_version END
        AS prompt_version,
    incomplete.documents, inherited.documents AS found
FROM incomplete
JOIN inherited ON inherited.id = incomplete.id
WHERE fills_conversation OR fills_user OR fills_prompt OR fills_documents
ORDER BY incomplete.id
