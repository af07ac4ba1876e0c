-- Whether texts that came apart from their span ended early, so that the call they join says so too. Of older ones nobody knows.

ALTER TABLE span_content ADD COLUMN cut BOOLEAN;
