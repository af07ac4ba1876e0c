"""What the overview of all deployments reads: one statement for all of them, not one for each."""
