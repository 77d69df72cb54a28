"""The rules that a plan can break, as data and in words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from fripn.messages import named, shown
from fripn.problem.clock import lengths, moments
from fripn.problem.instance import Instance


class ViolationCode(Enum):
    """The rules a plan can break."""

    MISSING = "missing"
    REPEATED = "repeated"
    UNKNOWN_CUSTOMER = "unknown_customer"
    UNKNOWN_TYPE = "unknown_type"
    OVERLOAD = "overload"
    TOO_MANY_VEHICLES = "too_many_vehicles"
    NO_ACCESS = "no_access"
    TOO_LATE = "too_late"
    LATE_END = "late_end"
    TOO_LONG = "too_long"
    TOO_FAR = "too_far"
    TOO_MANY_STOPS = "too_many_stops"


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken rule, as data and in words.

    Parameters
    ----------
    code
        Which rule.
    message
        The sentence that the fields make; see `Violation.of`.
    route
        Number of the route, counted from 1; None when it is not a single one.
    stop
        The customer, by number; None when it is not a single one.
    vehicle_type
        Index of the type; None when it is not about one.
    amount, limit
        The actual value and the largest valid one: loads, times, distances, numbers of visits, of
        stops or of vehicles, or numbers of customers or types; None where the rule has no such
        value.
    load
        Which load dimension, counted from 0; None unless the instance has several.
    """

    code: ViolationCode
    message: str
    route: int | None = None
    stop: int | None = None
    vehicle_type: int | None = None
    amount: float | None = None
    limit: float | None = None
    load: int | None = None

    @classmethod
    def of(
        cls,
        instance: Instance,
        code: ViolationCode,
        *,
        route: int | None = None,
        stop: int | None = None,
        vehicle_type: int | None = None,
        amount: float | None = None,
        limit: float | None = None,
        load: int | None = None,
    ) -> Violation:
        """Return a violation with its sentence, in which stops and types have their names."""
        stop_text, type_text = "", ""
        if stop is not None and 0 <= stop <= instance.num_customers:
            stop_text = instance.describe_stop(stop)
        if vehicle_type is not None and vehicle_type < instance.num_types:
            type_text = named(instance.vehicle_types[vehicle_type].name)
        amount_text, limit_text = _number_text(amount), _number_text(limit)
        if code in _TIMES and amount is not None and limit is not None:
            amount_text, limit_text = _TIMES[code](amount, limit, instance)
        sentence = _SENTENCES[code].format(
            route=route,
            stop=stop_text,
            vehicle_type=type_text,
            amount=amount_text,
            limit=limit_text,
            unit=_load_text(instance, load),
            reason=_lacking_text(instance, code, stop, vehicle_type),
        )
        return cls(code, sentence, route, stop, vehicle_type, amount, limit, load)

    def to_dict(self, instance: Instance) -> dict[str, Any]:
        """Return the violation as plain data, the vehicle type by its name as in files."""
        vehicle_type: str | int | None = self.vehicle_type
        if self.vehicle_type is not None and self.vehicle_type < instance.num_types:
            vehicle_type = instance.vehicle_types[self.vehicle_type].name
        value = {
            "code": self.code.value,
            "message": self.message,
            "route": self.route,
            "customer": self.stop,
            "vehicle_type": vehicle_type,
            "amount": self.amount,
            "limit": self.limit,
        }
        return value if self.load is None else {**value, "load": self.load}


_SENTENCES = {
    ViolationCode.MISSING: "{stop} is not visited",
    ViolationCode.REPEATED: "{stop} is visited {amount} times",
    ViolationCode.UNKNOWN_CUSTOMER: (
        "route {route} visits customer {amount}, but the customers are 1 to {limit}"
    ),
    ViolationCode.UNKNOWN_TYPE: (
        "route {route} uses vehicle type number {amount}, but the types are 0 to {limit}"
    ),
    ViolationCode.OVERLOAD: (
        "route {route} carries {amount}{unit}, but vehicle type {vehicle_type} holds {limit}"
    ),
    ViolationCode.TOO_MANY_VEHICLES: (
        "{amount} vehicles of type {vehicle_type} are used, but only {limit} are available"
    ),
    ViolationCode.NO_ACCESS: (
        "route {route} visits {stop}, which vehicle type {vehicle_type} may not serve{reason}"
    ),
    ViolationCode.TOO_LATE: (
        "route {route} starts the service of {stop} at {amount}, but it closes at {limit}"
    ),
    ViolationCode.LATE_END: (
        "route {route} ends at {amount}, but vehicle type {vehicle_type} must end by {limit}"
    ),
    ViolationCode.TOO_LONG: (
        "route {route} takes {amount}, but vehicle type {vehicle_type} may take {limit}"
    ),
    ViolationCode.TOO_FAR: (
        "route {route} has the distance {amount}, but vehicle type {vehicle_type} may drive {limit}"
    ),
    ViolationCode.TOO_MANY_STOPS: (
        "route {route} has {amount} stops, but vehicle type {vehicle_type} may have {limit}"
    ),
}

#: How the amount and the limit of a rule about times are written.
_TIMES = {
    ViolationCode.TOO_LATE: moments,
    ViolationCode.LATE_END: moments,
    ViolationCode.TOO_LONG: lengths,
}


def _load_text(instance: Instance, load: int | None) -> str:
    """Return the unit of a load dimension where there are several: `` kg``."""
    if load is None:
        return ""
    if instance.load_names is None:
        return f" of load {load + 1}"
    return f" {named(instance.load_names[load])}"


def _lacking_text(
    instance: Instance, code: ViolationCode, stop: int | None, vehicle_type: int | None
) -> str:
    """Return the tag that a type without access does not offer, if that is why."""
    if code is not ViolationCode.NO_ACCESS or stop is None or vehicle_type is None:
        return ""
    tag = instance.lacking_tag(vehicle_type, stop)
    return "" if tag is None else f": it does not offer {named(tag)!r}"


def _number_text(number: float | None) -> str:
    return f"{number:g}" if isinstance(number, float) else shown(number)
