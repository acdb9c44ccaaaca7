"""The routes, one module for each area."""
