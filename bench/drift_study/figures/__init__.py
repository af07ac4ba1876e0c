"""What is counted in one history, figure by figure."""
