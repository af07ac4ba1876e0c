"""`driftd lake`: the store of several processes."""
