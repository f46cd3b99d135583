"""A network that is called with parameters from outside, as a function of them."""

from typing import Any

from torch import Tensor, nn


class StatelessNetwork:
    """What `torch.func.functional_call` is, for a network that is called many thousand times.

    Torch finds each parameter by its dotted name in each call. In a network of 30 that takes as long as 60 additions of
    small tensors; here the modules that hold the parameters are found once.

    Attributes:
        network: It has its own parameters again after each call.
    """

    def __init__(self, network: nn.Module):
        self.network = network
        names = {id(parameter): name for name, parameter in network.named_parameters()}
        self._owners: dict[str, list[tuple[dict[str, Any], str]]] = {name: [] for name in names.values()}
        for module in network.modules():
            for key, parameter in module._parameters.items():
                if parameter is not None:  # a parameter of two names has two owners
                    self._owners[names[id(parameter)]].append((module._parameters, key))

    def __call__(self, parameters: dict[str, Tensor], *arguments: Any) -> Any:
        """Return what the network returns.

        Args:
            parameters: All of them, by the names of `named_parameters`.
            arguments: Of `forward`.

        Raises:
            KeyError: A parameter is missing.
        """
        own = {name: owner[key] for name, [(owner, key), *_] in self._owners.items()}
        try:
            self._put(parameters)
            return self.network(*arguments)
        finally:
            self._put(own)

    def _put(self, parameters: dict[str, Tensor]) -> None:
        for name, owners in self._owners.items():
            for owner, key in owners:
                owner[key] = parameters[name]
