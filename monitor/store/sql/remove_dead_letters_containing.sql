-- Remove dead letters that contain this text.
DELETE FROM dead_letter
WHERE contains(raw::VARCHAR, encode($text::VARCHAR)::VARCHAR) OR contains(reason, $text)
