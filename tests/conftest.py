"""What every test stands on: one thread each, so that two workers share two cores, and a store nobody else sees."""

import os
import tempfile

import torch

STORE = tempfile.TemporaryDirectory(prefix="symshift-")

# for this process and for the kernels that tests start
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["SYMSHIFT_OUTPUTS"] = STORE.name
torch.set_num_threads(1)
