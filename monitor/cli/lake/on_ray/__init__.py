"""`driftd lake ray`: workers on a cluster of Ray."""
