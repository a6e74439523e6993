"""Selectors on declared devices: each compiled once, and evaluated once on devices that publish the same, in whatever class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .. import cel
from ..api.deployment import DeviceRequest
from ..api.devices import DeviceOption
from ..api.hardware import Device, InferenceClassSpec
from ..api.quantity import Quantity
from ..api.semver import Semver
from ..resolve.selectors import conditions, expressions

YES = cel.Answer(True)


@dataclass(slots=True)
class Evaluator:
    """The selectors of requests, on the device groups of classes."""

    classes: Mapping[str, InferenceClassSpec]
    _answers: dict[tuple[str, int], cel.Answer] = field(default_factory=dict)
    _numbers: dict[tuple[str, str], int] = field(default_factory=dict)
    _published: dict[object, int] = field(default_factory=dict)
    _views: list[cel.Device] = field(default_factory=list)

    def matches(self, asked: DeviceRequest | DeviceOption, class_name: str, device: Device) -> cel.Answer:
        """Whether all conditions hold on a device of the group; of those that do not, the first one's answer."""
        for expression in expressions(asked, device.driver):
            answer = self.answer(expression, class_name, device)
            if not answer.matches:
                return answer
        return YES

    def why(self, request: DeviceRequest | DeviceOption, class_name: str) -> str:
        """Why no group of the class serves `request`: the nearest group, the first condition that fails, and what it reads."""
        options = getattr(request, "first_available", ())
        asked: DeviceRequest | DeviceOption = options[0] if options else request
        devices = self.classes[class_name].devices
        few = [d for d in devices if self.matches(asked, class_name, d).matches]
        if few:
            most = max(device.count for device in few)
            return f"request `{request.name}` needs {asked.count} devices on a node, {class_name} has {most}"
        nearest = max(devices, key=lambda d: sum(a.matches for _, _, a in self._each(asked, class_name, d)))
        expression, words, answer = next(each for each in self._each(asked, class_name, nearest) if not each[2].matches)
        said = answer.error or self._read(expression, nearest)
        return f"request `{request.name}` wants {words}; {nearest.name} of {class_name}: {said or 'does not match'}"

    def _each(self, asked: DeviceRequest | DeviceOption, class_name: str, device: Device) -> list[tuple[str, str, cel.Answer]]:
        return [(expression, words, self.answer(expression, class_name, device)) for expression, words in conditions(asked, device.driver)]

    def answer(self, expression: str, class_name: str, device: Device) -> cel.Answer:
        """What one expression says of a device group."""
        key = (expression, self._number(class_name, device))
        if key not in self._answers:
            self._answers[key] = cel.compile_selector(expression).evaluate(self._views[key[1]])
        return self._answers[key]

    def _number(self, class_name: str, device: Device) -> int:
        """A number that device groups share which publish the same; the position of what selectors see of them."""
        key = (class_name, device.name)
        if key not in self._numbers:
            published = (device.driver, tuple(device.attributes.items()), tuple(device.capacity.items()))
            self._numbers[key] = self._published.setdefault(published, len(self._views))
            if self._numbers[key] == len(self._views):
                self._views.append(view(device))
        return self._numbers[key]

    def _read(self, expression: str, device: Device) -> str:
        """The values that an expression reads of a device, as they are declared."""
        program, said = cel.compile_selector(expression), []
        for domain, name in sorted(program.attributes):
            attribute = device.attributes.get(f"{domain}/{name}") or (device.attributes.get(name) if domain == device.driver else None)
            said += [f"{name} is {attribute.value}"] if attribute else []
        for domain, name in sorted(program.capacity):
            capacity = device.capacity.get(f"{domain}/{name}") or (device.capacity.get(name) if domain == device.driver else None)
            said += [f"{name} is {capacity.value}"] if capacity else []
        return ", ".join(said)


def view(device: Device) -> cel.Device:
    """A declared device group as selectors see a device of it."""
    attributes: dict[str, str | bool | int | Semver] = {}
    for name, attribute in device.attributes.items():
        value = attribute.value
        assert value is not None
        attributes[name] = Semver.parse(attribute.version) if attribute.version is not None else value
    return cel.Device(device.driver, attributes, {name: Quantity.parse(c.value) for name, c in device.capacity.items()})
