"""The health of eval sets: saturation, staleness, overfitting, redundancy, label noise and exposure."""
