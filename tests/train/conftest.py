"""One torch thread per test process: the tensors are tiny, and results are the same every time."""

import torch

torch.set_num_threads(1)
