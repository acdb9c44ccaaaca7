"""Recovering what can still be read from a damaged database."""
