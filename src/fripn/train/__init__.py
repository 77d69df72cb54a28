"""FRIPN as torch modules, and how its weights come about. Needs the extra ``train`` (torch)."""
