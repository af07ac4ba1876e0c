"""`driftd status`: the state of all deployments."""
