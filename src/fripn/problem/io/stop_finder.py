"""Which customer a plan means: by number, by the user's id, by name, or by several of them."""

from __future__ import annotations

from collections.abc import Mapping

from fripn.errors import InvalidSolution
from fripn.messages import named, shown
from fripn.problem.instance import Instance
from fripn.problem.io.text import nearest_stop


class StopFinder:
    """Finds the customers of one instance.

    Parameters
    ----------
    instance
        The problem that plans are read for. Where it has no ids, the numbers serve as such.
    """

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        stops = range(instance.num_nodes)
        self._by_id = {instance.stop_id(stop): {stop} for stop in stops}
        self._by_name: dict[str, set[int]] = {}
        for stop in stops:
            # The label is what our pages show, so people write it down.
            for text in (instance.stop_name(stop), instance.stop_label(stop)):
                self._by_name.setdefault(text, set()).add(stop)

    def find(self, where: str, number: int | None, own_id: str | None, name: str | None) -> int:
        """Return the customer that everything given agrees on.

        Parameters
        ----------
        where
            Place in the file, for messages.
        number, own_id, name
            What the plan has; None where it has nothing, but not in all three. A number alone
            is taken as it is: `evaluate` checks whether there is such a customer. Ids and
            names beside it are passed over where the instance has none to compare them with.

        Raises
        ------
        InvalidSolution
            When no stop or more than one is called so, when the strings mean different stops, or
            when it is the depot.
        """
        stop = self.find_any(where, number, own_id, name)
        if self._instance.is_depot(stop) and number is None:
            what, text = ("name", name) if own_id is None else ("id", own_id)
            raise _is_depot(where, f"{what} {shown(text)}")
        if self._instance.is_depot(stop) and (own_id or name):
            raise _is_depot(where, f"customer {stop}")
        return stop

    def find_any(self, where: str, number: int | None, own_id: str | None, name: str | None) -> int:
        """Return the stop that everything given agrees on, a customer or a depot; see `find`.

        Raises
        ------
        InvalidSolution
            When no stop or more than one is called so, or when the strings mean different stops.
        """
        if number is not None:
            self._compare(where, f"customer {shown(number)}", number, own_id, name)
            return number
        if own_id is not None:
            (stop,) = self._known(where, "id", own_id, self._by_id)
            self._compare(where, f"id {shown(own_id)}", stop, None, name)
            return stop
        assert name is not None
        stops = sorted(self._known(where, "name", name, self._by_name))
        if len(stops) > 1:
            first, second = map(self._instance.describe_stop, stops[:2])
            raise InvalidSolution(
                f"the name {{value}} belongs to {first} and to {second}",
                field="name",
                value=name,
                place=where,
                remedy="give the id as well",
            )
        return stops[0]

    def other_with_id(self, number: int) -> str | None:
        """Describe the stop whose id looks like the number of another one; None without such."""
        stops = self._by_id.get(str(number), {number})
        return None if number in stops else self._instance.describe_stop(min(stops))

    def _compare(
        self, where: str, given: str, stop: int, own_id: str | None, name: str | None
    ) -> None:
        """Refuse an id or a name that is not that of the stop already found."""
        instance = self._instance
        for what, text, table, has_any in (
            ("id", own_id, self._by_id, instance.stop_ids),
            ("name", name, self._by_name, instance.stop_names or instance.stop_ids),
        ):
            if text is None or (text not in table and has_any is None):
                continue
            if stop in table.get(text, ()):
                continue
            if 0 <= stop < instance.num_nodes:
                actual = instance.stop_id(stop) if what == "id" else instance.stop_name(stop)
                difference = (
                    f"has the {what} {shown(actual)} in {named(instance.name)}, not {{value}}"
                )
            else:
                difference = (
                    f"does not exist in {named(instance.name)} and cannot have the {what} {{value}}"
                )
            raise InvalidSolution(
                f"{given} {difference}",
                field=what,
                value=text,
                place=where,
                remedy="correct one of the two (or is this a plan for another instance?)",
            )

    def _known(self, where: str, what: str, text: str, table: Mapping[str, set[int]]) -> set[int]:
        if text in table:
            return table[text]
        if what == "id" and text in self._by_name:
            raise InvalidSolution(
                f"{{value}} is not an id of {named(self._instance.name)} but a name",
                field=what,
                value=text,
                place=where,
                remedy="give it as 'name', or the id instead",
            )
        call = self._instance.stop_id if what == "id" else self._instance.stop_name
        customers = [call(customer) for customer in range(1, self._instance.num_customers + 1)]
        raise InvalidSolution(
            f"no stop of {named(self._instance.name)} has the {what} {{value}}",
            field=what,
            value=text,
            place=where,
            remedy=nearest_stop(text, customers),
        )


def _is_depot(where: str, given: str) -> InvalidSolution:
    return InvalidSolution(
        f"{given} is the depot, where every route starts and ends anyway",
        place=where,
        remedy="leave this stop out",
    )
