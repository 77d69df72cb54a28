"""The paper's mixed-integer model, and the solvers that can prove plans optimal with it."""

from fripn.baselines.milp.method import Milp
from fripn.baselines.milp.model import Model, Strengthening, build_model, build_paper_model

__all__ = ["Milp", "Model", "Strengthening", "build_model", "build_paper_model"]
