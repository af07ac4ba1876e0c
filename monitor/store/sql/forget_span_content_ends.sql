-- Remove the ends that are folded into the texts.
DELETE FROM span_content_end
