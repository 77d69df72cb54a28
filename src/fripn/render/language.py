"""Every text of reports and driver sheets, in English and in German.

Texts that hold markup are templates of this package; what is filled in is escaped by the caller.
"""

from __future__ import annotations

from typing import Literal, get_args

Language = Literal["en", "de"]

LANGUAGES: tuple[Language, ...] = get_args(Language)

#: Per text: English, German. Both have the same placeholders.
TEXTS: dict[str, tuple[str, str]] = {
    # -- quantities and words that stand alone ---------------------------------------------------
    "actions": ("Light / dark", "Hell / dunkel"),
    "all": ("all", "alle"),
    "availability": ("at most {count}", "höchstens {count}"),
    "capacity": ("Capacity", "Kapazität"),
    "cost": ("Cost", "Kosten"),
    "customers": ("{count} customers", "{count} Kunden"),
    "customer": ("1 customer", "1 Kunde"),
    "depot": ("Depot", "Depot"),
    "distance": ("Distance", "Strecke"),
    "distances": ("Distances", "Entfernungen"),
    "fixed_cost": ("Fixed cost", "Fixkosten"),
    "fleet": ("Fleet", "Flotte"),
    "hire": ("hire", "Flotte:"),
    "iterations": ("Iterations", "Iterationen"),
    "load": ("Load", "Ladung"),
    "load_factor": ("Load factor", "Auslastung"),
    "method": ("Method", "Verfahren"),
    "none": ("none", "keine"),
    "print": ("Print", "Drucken"),
    "route": ("Route", "Tour"),
    "routes": ("Routes", "Touren"),
    "seed": ("Seed", "Startwert"),
    "status": ("Status", "Status"),
    "stop": ("1 stop", "1 Stopp"),
    "stops": ("{count} stops", "{count} Stopps"),
    "total": ("Total", "Gesamt"),
    "total_cost": ("Total cost", "Gesamtkosten"),
    "travel_cost": ("Travel cost", "Fahrtkosten"),
    "type": ("Type", "Typ"),
    "vehicle_types": ("Vehicle types", "Fahrzeugtypen"),
    "vehicles": ("Vehicles", "Fahrzeuge"),
    # -- the report ------------------------------------------------------------------------------
    "all_routes": ("all routes together", "alle Touren zusammen"),
    "best_known": ("Best known", "Bester bekannter Wert"),
    "check": ("Check", "Prüfung"),
    "check_passed": ("✓ no violations", "✓ keine Verstöße"),
    "checked_rules": (
        "every customer once, no vehicle overloaded, no type hired beyond its limit",
        "jeder Kunde einmal, kein Fahrzeug überladen, kein Typ öfter als verfügbar",
    ),
    "cost_over_time": (
        "Cost of the best plan over time",
        "Kosten des besten Plans im Lauf der Zeit",
    ),
    "curve_label": (
        "cost over time, from {first} to {last}",
        "Kosten über die Zeit, von {first} bis {last}",
    ),
    "customers_unserved": ("no plan was found", "es wurde kein Plan gefunden"),
    "metric_euclidean": ("straight lines", "Luftlinie"),
    "fixed_and_travel": ("fixed and travel", "fix und Fahrt"),
    "fleet_and_cost": ("Fleet and cost", "Flotte und Kosten"),
    "gap": ("Gap", "Abstand"),
    "gap_to_best": ("to best known {cost}", "zum besten bekannten Wert {cost}"),
    "gap_to_bound": ("to bound {cost}", "zur Schranke {cost}"),
    "metric_great_circle": (
        "straight lines on the map (great circle)",
        "Luftlinie auf der Karte (Großkreis)",
    ),
    "hired": ("{count} hired", "{count} im Einsatz"),
    "hint": (
        "Scroll to zoom, drag to move, click a route to keep it lit",
        "Mausrad: Zoom, ziehen: verschieben, Klick auf eine Tour: hervorheben",
    ),
    "instances": ("Days", "Tage"),
    "lower_bound": ("Lower bound", "Untere Schranke"),
    "made_on": ("Made with fripn {version} on {date}.", "Erstellt mit fripn {version} am {date}."),
    "made_with": ("Made with fripn {version}.", "Erstellt mit fripn {version}."),
    "map_label": ("map of the routes", "Karte der Touren"),
    "map_keys": (
        "map of the routes; plus and minus zoom, arrows move, 0 shows everything",
        "Karte der Touren; Plus und Minus zoomen, Pfeile verschieben, 0 zeigt alles",
    ),
    "metric_matrix": ("the given table", "die angegebene Tabelle"),
    "no_map": (
        "The instance gives distances but no coordinates, so there is no map.",
        "Die Daten enthalten Entfernungen, aber keine Koordinaten; daher gibt es keine Karte.",
    ),
    "offline": (
        "This page is complete in itself and loads nothing from the network.",
        "Diese Seite ist in sich vollständig und lädt nichts aus dem Netz.",
    ),
    "run": ("The run", "Der Lauf"),
    "search": ("Search", "Suche"),
    "searched": ("searched {seconds}", "{seconds} gesucht"),
    "searched_and_found": (
        "searched {seconds}, found after {found}",
        "{seconds} gesucht, gefunden nach {found}",
    ),
    "sources": ("Source files", "Quelldateien"),
    "split_legend": (
        "Strong colour: fixed cost; light: travel cost.",
        "Kräftige Farbe: Fixkosten; helle: Fahrtkosten.",
    ),
    "split_legend_time": (
        "Strong colour: fixed cost; light: travel and time.",
        "Kräftige Farbe: Fixkosten; helle: Fahrt- und Zeitkosten.",
    ),
    "status_feasible": ("valid plan", "gültiger Plan"),
    "status_interrupted": ("interrupted; best plan so far", "abgebrochen; bester Plan bis dahin"),
    "status_no_plan": ("no plan found", "kein Plan gefunden"),
    "status_optimal": ("proven optimal", "nachweislich optimal"),
    "stops_in_order": ("Stops in order", "Stopps in Reihenfolge"),
    "serves": ("service {start} – {end}", "Service {start} – {end}"),
    "waits": ("waiting {start} – {end}", "Wartezeit {start} – {end}"),
    "timeline": ("Timeline", "Zeitplan"),
    "timeline_legend": (
        "Line: driving; pale: waiting; strong: service, with the number of the stop.",
        "Linie: Fahrt; blass: Wartezeit; kräftig: Service, mit der Nummer des Stopps.",
    ),
    "time_cost": ("Cost of time", "Zeitkosten"),
    "cost_of_everything": ("fixed, travel and time", "fix, Fahrt und Zeit"),
    "checked_day": (
        "times, access and all limits of routes are kept",
        "Zeiten, Zugang und alle Grenzen der Touren sind eingehalten",
    ),
    "theme_label": ("switch between light and dark", "zwischen hell und dunkel wechseln"),
    "time": ("Time", "Zeit"),
    "zoom_fit": ("show everything", "alles zeigen"),
    "zoom_in": ("zoom in", "vergrößern"),
    "zoom_out": ("zoom out", "verkleinern"),
    # -- other fleets ----------------------------------------------------------------------------
    "best_mix": ("Best mix", "Beste Mischung"),
    "break_even": ("Break-even price", "Preisgrenze"),
    "break_even_always": ("needed at any price", "zu jedem Preis nötig"),
    "break_even_hint": (
        "Up to this fixed cost per vehicle, hiring the type is not more expensive than doing "
        "without it, as far as the plans found here show.",
        "Bis zu diesen Fixkosten je Fahrzeug ist der Typ nicht teurer als der Verzicht auf ihn, "
        "soweit es die hier gefundenen Pläne zeigen.",
    ),
    "break_even_never": ("not even for free", "nicht einmal umsonst"),
    "break_even_today": ("Fixed cost now", "Fixkosten jetzt"),
    "break_even_unknown": ("not known", "nicht bekannt"),
    "change": ("Change", "Änderung"),
    "change_fewer": ("One {name} fewer ({count})", "Ein {name} weniger ({count})"),
    "change_more": ("One {name} more ({count})", "Ein {name} mehr ({count})"),
    "change_only": ("Only {name}", "Nur {name}"),
    "change_without": ("Without {name}", "Ohne {name}"),
    "difference": ("Difference", "Unterschied"),
    "in_percent": ("In percent", "In Prozent"),
    "proven_extra": ("At least (proven)", "Mindestens (bewiesen)"),
    "not_possible": ("not possible: {reason}", "nicht möglich: {reason}"),
    "prices_as_given": ("Prices as given", "Preise wie angegeben"),
    "what_if": ("What if you hired otherwise?", "Was kostet eine andere Flotte?"),
    # -- the script of the report ----------------------------------------------------------------
    "js_cost": ("cost {cost}", "Kosten {cost}"),
    "js_cost_parts": (
        "cost {cost} = {fixed} fixed + {travel} travel",
        "Kosten {cost} = {fixed} fix + {travel} Fahrt",
    ),
    "js_cost_parts_time": (
        "cost {cost} = {fixed} fixed + {travel} travel + {time} time",
        "Kosten {cost} = {fixed} fix + {travel} Fahrt + {time} Zeit",
    ),
    "js_time": ("service at {time}", "Service um {time}"),
    "js_customer": ("Customer {number}", "Kunde {number}"),
    "js_demand": (
        "demand {demand} · stop {place} of {count}",
        "Menge {demand} · Stopp {place} von {count}",
    ),
    "js_depot": ("{count} routes start here", "{count} Touren beginnen hier"),
    "js_driven": ("driven so far {distance}", "bisher gefahren {distance}"),
    "js_found": ("found after {seconds} s", "gefunden nach {seconds} s"),
    "js_load": (
        "load {load} of {capacity} ({share} %)",
        "Ladung {load} von {capacity} ({share} %)",
    ),
    "js_stop": ("1 stop, distance {distance}", "1 Stopp, Strecke {distance}"),
    "js_stops": ("{count} stops, distance {distance}", "{count} Stopps, Strecke {distance}"),
    # -- driver sheets ---------------------------------------------------------------------------
    "back_at_depot": ("back at {name}", "zurück: {name}"),
    "distance_so_far": ("Distance so far", "Strecke bisher"),
    "done": ("Done", "Erledigt"),
    "driver": ("Driver", "Fahrer/in"),
    "id": ("Id", "Nr."),
    "load_of": ("{load} of {capacity}", "{load} von {capacity}"),
    "map": ("Map", "Karte"),
    "name": ("Stop", "Stopp"),
    "number": ("No.", "Pos."),
    "open_route": ("Open the route in a map", "Tour in einer Karte öffnen"),
    "open_route_part": ("Map, stops {first} to {last}", "Karte, Stopps {first} bis {last}"),
    "page_of": ("page {page}", "Seite {page}"),
    "sheet_of": ("Route {number} of {count}", "Tour {number} von {count}"),
    "sheets": ("Driver sheets", "Fahrerblätter"),
    "signature": ("Signature", "Unterschrift"),
    "start_at_depot": ("start at {name}", "Start: {name}"),
    "vehicle": ("Vehicle", "Fahrzeug"),
    "vehicle_number": ("Number plate", "Kennzeichen"),
    # -- a folder of plans -----------------------------------------------------------------------
    "day": ("Day", "Tag"),
    "failed": ("failed: {reason}", "fehlgeschlagen: {reason}"),
    "largest_fleet": (
        "Most vehicles of each type on one day: {fleet}",
        "Die meisten Fahrzeuge jedes Typs an einem Tag: {fleet}",
    ),
    "overview": ("Overview", "Übersicht"),
    "plan_table": ("table", "Tabelle"),
    "plan_report": ("report", "Bericht"),
    "files": ("Files", "Dateien"),
}


def text_in(language: Language, key: str, **values: object) -> str:
    """Return one of the texts in a language, with its placeholders filled in."""
    return TEXTS[key][LANGUAGES.index(language)].format(**values)
