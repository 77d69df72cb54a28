"""The words planners use for the columns of their tables, in English and German.

Words are compared as `fripn.problem.io.headers.plain_word` returns them: in lower case, without
umlauts, with underscores.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from fripn.problem.io.headers import Vocabulary, plain_word

#: The table of stops.
STOPS = Vocabulary(
    columns={
        "id": (
            "stop", "stop_id", "stop_no", "nr", "nummer", "no", "number", "kundennummer",
            "kundennr", "kunden_nr", "kunden_nummer", "kunden_id", "customer_id", "customer_no",
            "customer_number", "account", "account_no", "auftrag", "auftragsnummer", "auftragsnr",
            "auftrags_nr", "bestellnummer", "order", "order_id", "order_no", "order_number",
            "lfd_nr", "stopp", "stoppnummer", "ref", "reference", "referenz",
        ),
        "name": (
            "kunde", "kundenname", "customer", "customer_name", "client", "firma", "firmenname",
            "company", "bezeichnung", "stop_name", "empfaenger", "recipient", "filiale",
        ),
        "x": ("x_coord", "x_coordinate", "x_koordinate", "rechtswert", "easting", "ostwert"),
        "y": ("y_coord", "y_coordinate", "y_koordinate", "hochwert", "northing", "nordwert"),
        "lat": ("latitude", "breite", "breitengrad", "geo_lat", "gps_lat", "geografische_breite",
                "geographische_breite"),
        "lon": ("lng", "long", "longitude", "laenge", "laengengrad", "geo_lon", "geo_lng",
                "gps_lon", "gps_lng", "geografische_laenge", "geographische_laenge"),
        "demand": (
            "menge", "bedarf", "nachfrage", "liefermenge", "bestellmenge", "quantity", "qty",
            "amount", "anzahl", "stueck", "stueckzahl", "gewicht", "weight", "load", "ladung",
            "volumen", "volume", "kisten", "crates", "paletten", "pallets", "pakete", "parcels",
            "demand_kg", "demand_m3", "demand_t", "menge_kg", "menge_t", "gewicht_kg",
            "weight_kg", "kg", "units",
        ),
        "depot": ("is_depot", "ist_depot", "lager", "ist_lager", "startpunkt"),
        "open": (
            "opens", "opening", "opening_time", "earliest", "ready_time", "oeffnet", "von",
            "zeit_von", "fruehestens", "frueheste_zeit", "anlieferung_von", "offen_von",
        ),
        "close": (
            "closes", "closing", "closing_time", "latest", "due_time", "due_date", "schliesst",
            "bis", "zeit_bis", "spaetestens", "spaeteste_zeit", "anlieferung_bis", "offen_bis",
        ),
        "time_window": (
            "time_windows", "window", "windows", "zeitfenster", "oeffnungszeit", "oeffnungszeiten",
            "opening_hours",
        ),
        "service_min": (
            "service", "service_time", "service_minutes", "service_duration", "servicezeit",
            "standzeit", "standzeit_min", "entladezeit", "entladezeit_min", "stop_time",
            "unloading_time",
        ),
        "vehicle_types": (
            "allowed_types", "allowed_vehicles", "fahrzeugtypen", "erlaubte_fahrzeuge",
        ),
        "requires": ("required_skills", "skills", "benoetigt", "erfordert"),
    },
    required=("demand",),
    refused={
        **dict.fromkeys(
            ("pickup", "pick_up", "pickup_demand", "abholung", "abholmenge"),
            "pickups cannot be planned: plan them as a table of their own",
        ),
        **dict.fromkeys(
            ("priority", "prioritaet", "optional", "prize"),
            "every stop is visited: remove those that may be left out",
        ),
    },
)  # fmt: skip

#: The table of vehicle types.
VEHICLES = Vocabulary(
    columns={
        "type": (
            "vehicle_type", "name", "vehicle", "fahrzeug", "fahrzeugtyp", "fahrzeugart", "typ",
            "art", "bezeichnung",
        ),
        "capacity": (
            "kapazitaet", "ladekapazitaet", "nutzlast", "zuladung", "payload", "max_load",
            "capacity_kg", "kapazitaet_kg", "nutzlast_kg", "load_capacity", "ladevolumen",
        ),
        "fixed_cost": (
            "fixkosten", "fixe_kosten", "fixed_costs", "fixed_price", "grundkosten", "grundpreis",
            "miete", "tagesmiete", "tagessatz", "hire_cost", "hire", "rent", "rental", "day_rate",
            "daily_rate", "daily_cost", "kosten_fix", "cost_per_day", "kosten_pro_tag",
            "preis_pro_tag",
        ),
        "unit_cost": (
            "cost_per_distance", "cost_per_distance_unit", "cost_per_km", "distance_cost",
            "price_per_km", "km_cost", "km_price", "cost_km", "kosten_pro_km", "kosten_je_km",
            "kosten_km", "km_kosten", "km_preis", "km_satz", "kilometerkosten", "kilometerpreis",
            "kilometersatz", "preis_pro_km", "preis_je_km", "preis_km", "eur_km", "eur_pro_km",
            "eur_je_km", "eur_per_km", "usd_km", "variable_cost", "variable_costs",
            "variable_kosten", "cost_per_mile", "price_per_mile",
        ),
        "available": (
            "max_count", "anzahl", "verfuegbar", "verfuegbare", "count", "number", "quantity",
            "bestand", "stueckzahl", "num_available", "max_anzahl", "limit",
        ),
        "owned": ("own", "own_vehicles", "eigene", "eigene_fahrzeuge", "im_besitz", "vorhanden"),
        "max_hours": (
            "max_stunden", "arbeitszeit", "lenkzeit", "max_arbeitszeit", "hours", "stunden",
        ),
        "max_km": (
            "max_distance", "max_range", "range", "range_km", "reichweite", "reichweite_km",
            "max_kilometer",
        ),
        "max_stops": ("max_stopps", "max_customers", "max_kunden"),
        "cost_per_hour": (
            "hourly_cost", "hourly_rate", "stundensatz", "stundenlohn", "kosten_pro_stunde",
            "eur_h", "eur_std", "eur_stunde",
        ),
        "shift_start": ("schichtbeginn", "schicht_von", "start_time", "beginn", "arbeitsbeginn"),
        "shift_end": ("schichtende", "schicht_bis", "end_time", "ende", "arbeitsende"),
        "speed_kmh": ("speed", "geschwindigkeit", "geschwindigkeit_kmh", "km_h", "kmh"),
        "depot": ("start_depot", "standort", "home_depot", "startdepot"),
        "offers": ("skills", "ausstattung", "equipment"),
        "returns": ("rueckkehr", "returns_to_depot"),
    },
    required=("type", "capacity", "fixed_cost", "unit_cost"),
    refused={
        **dict.fromkeys(
            ("break", "breaks", "break_min", "pause", "pausen", "pause_min"),
            "breaks cannot be planned: shorten the shift by them",
        ),
        **dict.fromkeys(
            ("end_depot", "enddepot", "zieldepot"),
            "vehicles return to where they started: use returns for routes that end at a stop",
        ),
    },
)  # fmt: skip

_LOAD = re.compile(r"(?:demand|menge|bedarf)_(\w+)")


def load_names(titles: Sequence[str]) -> list[str]:
    """Return the load dimensions of a table of stops: ``kg`` and ``m3`` for demand_kg, demand_m3.

    None of them when the table has just one column of demands.
    """
    words = [plain_word(title) for title in titles]
    found = [match[1] for word in words if (match := _LOAD.fullmatch(word))]
    return list(dict.fromkeys(found)) if len(set(found)) > 1 else []


def stop_words(loads: Sequence[str]) -> Vocabulary:
    """Return the words for tables of stops with these load dimensions."""
    if not loads:
        return STOPS
    single = tuple(word for word in STOPS.columns["demand"] if not _LOAD.fullmatch(word))
    columns = {column: words for column, words in STOPS.columns.items() if column != "demand"}
    columns |= {f"demand_{load}": (f"menge_{load}", f"bedarf_{load}") for load in loads}
    return Vocabulary(
        columns,
        [f"demand_{load}" for load in loads],
        {**STOPS.refused, **_without_load(("demand", *single), f"demand_{loads[0]}")},
    )


def vehicle_words(loads: Sequence[str]) -> Vocabulary:
    """Return the words for tables of vehicles with these load dimensions."""
    if not loads:
        return VEHICLES
    own = {
        f"capacity_{load}": (f"kapazitaet_{load}", f"nutzlast_{load}", f"max_{load}")
        for load in loads
    }
    taken = {word for words in own.values() for word in words} | set(own)
    single = tuple(word for word in VEHICLES.columns["capacity"] if word not in taken)
    columns = {column: words for column, words in VEHICLES.columns.items() if column != "capacity"}
    required = [column for column in VEHICLES.required if column != "capacity"]
    return Vocabulary(
        columns | own,
        [*required, *own],
        {**VEHICLES.refused, **_without_load(("capacity", *single), f"capacity_{loads[0]}")},
    )


def _without_load(words: Sequence[str], example: str) -> dict[str, str]:
    """Return why a column is refused that does not say which of several loads it means."""
    return dict.fromkeys(words, f"each load has a column of its own, such as {example}: rename it")
