-- Store the newest link of each signal in its row.
UPDATE feedback
SET deployment = link.deployment, linked_interaction_id = link.linked_interaction_id, link_method = link.link_method
FROM (
    SELECT id, max(revision) AS revision, max_by(deployment, revision) AS deployment,
        max_by(linked_interaction_id, revision) AS linked_interaction_id, max_by(link_method, revision) AS link_method
    FROM feedback_link
    GROUP BY id
) AS link
WHERE link.id = feedback.id AND link.revision > feedback.revision
