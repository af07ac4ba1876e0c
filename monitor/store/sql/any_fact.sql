-- Is there a fact that is not folded into its row?
SELECT EXISTS (FROM feedback_link) OR EXISTS (FROM feedback_end) AS found
