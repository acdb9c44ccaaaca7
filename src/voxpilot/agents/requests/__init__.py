"""Requests to agents and requests from agents."""
