"""Other solvers as methods; docs/baselines.md describes their settings."""
