"""Runs programs of models in Kubernetes: each in a Job of its own, in a namespace without network."""
