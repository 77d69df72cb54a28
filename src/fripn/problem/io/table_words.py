"""The words planners use for the columns of their tables, in English and German.

Words are compared as `fripn.problem.io.headers.plain_word` returns them: in lower case, without
umlauts, with underscores.
"""

from __future__ import annotations

from fripn.problem.io.headers import Vocabulary

_WINDOWS = (
    "time windows cannot be planned yet: plan mornings and afternoons as separate tables, and "
    "leave the column out"
)
_SERVICE = "time at stops cannot be planned yet: leave the column out"
_ACCESS = (
    "which vehicle may serve a stop cannot be planned yet: plan such stops as a table of their "
    "own, with the vehicles that fit"
)
_SHIFT = "working hours cannot be planned yet: check the length of the routes in the plan"
_RANGE = "a largest distance cannot be planned yet: check the length of the routes in the plan"
_HOURS = "cost per hour cannot be planned yet: add it to the cost per distance or to the fixed cost"

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
    },
    required=("demand",),
    refused={
        **dict.fromkeys(
            ("open", "close", "opens", "closes", "opening", "closing", "opening_time",
             "closing_time", "earliest", "latest", "ready_time", "due_date", "time_window",
             "time_windows", "window", "zeitfenster", "oeffnet", "schliesst", "oeffnungszeit",
             "oeffnungszeiten", "frueheste_zeit", "spaeteste_zeit", "von", "bis", "zeit_von",
             "zeit_bis", "anlieferung_von", "anlieferung_bis", "fruehestens", "spaetestens"),
            _WINDOWS,
        ),
        **dict.fromkeys(
            ("service", "service_min", "service_time", "service_minutes", "service_duration",
             "standzeit", "standzeit_min", "entladezeit", "servicezeit", "stop_time",
             "unloading_time"),
            _SERVICE,
        ),
        **dict.fromkeys(
            ("vehicle_types", "allowed_types", "allowed_vehicles", "requires", "required_skills",
             "skills", "fahrzeugtypen", "erlaubte_fahrzeuge", "benoetigt"),
            _ACCESS,
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
    },
    required=("type", "capacity", "fixed_cost", "unit_cost"),
    refused={
        **dict.fromkeys(
            ("max_hours", "max_duration", "max_time", "max_stunden", "lenkzeit", "arbeitszeit",
             "shift", "shift_start", "shift_end", "schicht", "schichtbeginn", "schichtende",
             "schicht_von", "schicht_bis", "start_time", "end_time", "beginn", "ende"),
            _SHIFT,
        ),
        **dict.fromkeys(
            ("max_km", "max_distance", "max_range", "range", "range_km", "reichweite",
             "reichweite_km", "max_kilometer", "max_stops", "max_stopps"),
            _RANGE,
        ),
        **dict.fromkeys(
            ("cost_per_hour", "hourly_cost", "hourly_rate", "stundensatz", "stundenlohn",
             "kosten_pro_stunde", "eur_h", "eur_std"),
            _HOURS,
        ),
        **dict.fromkeys(
            ("speed", "speed_kmh", "geschwindigkeit", "geschwindigkeit_kmh"),
            "travel times cannot be planned yet: leave the column out",
        ),
        **dict.fromkeys(
            ("depot", "start_depot", "standort"),
            "several depots cannot be planned yet: plan each depot with its own tables",
        ),
        **dict.fromkeys(("offers", "skills", "ausstattung"), _ACCESS),
    },
)  # fmt: skip
