"""Investigations of simulated drops whose cause is known: is what they tell as likely as they say?"""
