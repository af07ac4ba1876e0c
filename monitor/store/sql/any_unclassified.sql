-- Is a call stored whose reply is not classified as a refusal or not?
SELECT 1 AS found FROM interaction WHERE refusal IS NULL LIMIT 1
