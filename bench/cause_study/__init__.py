"""Investigations of simulated drops with known cause: are their probabilities calibrated?"""
