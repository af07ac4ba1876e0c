"""Programs that ask the same questions: references of a few lines, and rivals in environments of their own."""
