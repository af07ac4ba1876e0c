"""Runs programs of models: without network, without files of the machine, with limits."""
