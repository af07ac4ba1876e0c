"""Real versions of real models: what the statistics say of changes whose truth is known."""
