"""The local service: an HTTP API over the solver, and the planner's page (extra ``[serve]``)."""
