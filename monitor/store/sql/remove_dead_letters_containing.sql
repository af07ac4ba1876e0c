-- Removes records that could not be read and hold this text.
DELETE FROM dead_letter
WHERE contains(raw::VARCHAR, encode($text::VARCHAR)::VARCHAR) OR contains(reason, $text)
