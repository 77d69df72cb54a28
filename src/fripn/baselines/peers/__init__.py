"""Outside solvers behind our interface; docs/baselines.md says how each is set up."""
