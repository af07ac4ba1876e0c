"""What judges a reply without a model."""
