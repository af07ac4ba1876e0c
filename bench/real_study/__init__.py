"""Real versions of real models: verdicts on changes whose truth is known."""
