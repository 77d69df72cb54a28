"""The API under /v1: data in, plans out, errors with their fields."""

from __future__ import annotations

import io
import json
import zipfile
from concurrent.futures import ThreadPoolExecutor

import pytest
import xlsxwriter
from served import ended, events_of, job_of, small_instance, until

from fripn.problem import evaluate
from fripn.problem.io import instance_from_dict, parse_solution, solution_from_dict

STOPS = "id;Kunde;Breite;Länge;Menge;Depot\n0;Lager;51,36;12,43;;1\n1;Ann;51,38;12,39;{};\n"
VEHICLES = "Fahrzeug;Kapazität;Tagesmiete;Kosten pro km\nVan;{};58,00 €;0,38\n"


def solved(client, **request):
    """Submit a job, wait for its end and return its status."""
    answer = client.post("/v1/jobs", json={"seconds": 1, **request})
    assert answer.status_code == 202, answer.text
    return ended(client, answer.json()["id"])


def as_plan(status):
    """Return the routes of a status as a solution file has them."""
    routes = [
        {"vehicle_type": route["vehicle_type"], "customers": route["customers"]}
        for route in status["plan"]["routes"]
    ]
    return {"format": "fripn-solution", "version": 1, "routes": routes}


def test_info_lists_what_the_service_offers(client):
    """Limits, examples with their sizes, formats and methods."""
    info = client.get("/v1/info").json()
    assert info["limits"]["stops"] == 10_000
    assert {"id": "bakery", "title": "A bakery delivers in Leipzig", "stops": 48, "types": 3} in (
        info["examples"]
    )
    assert {"csv", "xlsx", "json", "geojson", "html", "sheets"} <= {
        one["id"] for one in info["formats"]
    }
    assert "hybrid" in [one["id"] for one in info["methods"]]


def test_every_example_can_be_edited_and_solved(client):
    """Its tables are valid and describe its instance."""
    for one in client.get("/v1/info").json()["examples"]:
        found = client.get(f"/v1/examples/{one['id']}").json()
        again = client.post("/v1/validate", json={"tables": found["tables"]}).json()
        assert again["ok"], again["problems"]
        assert len(again["instance"]["customers"]) == one["stops"]


def test_schemas_are_those_of_the_files(client):
    """By version."""
    schemas = client.get("/v1/schema").json()
    assert sorted(schemas) == ["instance", "plan"]
    assert schemas["instance"]["1"]["title"]


def test_a_job_is_solved_and_its_plan_is_right(client):
    """Cost and routes of the status are those that evaluate computes."""
    document = small_instance()
    status = solved(client, instance=document, name="Monday")
    assert (status["state"], status["name"], status["kind"]) == ("finished", "Monday", "solve")
    instance = instance_from_dict(document)
    found = evaluate(instance, solution_from_dict(as_plan(status), instance))
    assert found.is_feasible
    assert status["cost"] == status["plan"]["cost"] == found.cost
    assert status["curve"][-1][1] == found.cost
    assert status["created"] <= status["started"] <= status["ended"]
    assert (status["stops"], status["types"]) == (15, len(document["vehicle_types"]))
    assert (
        client.get(f"/v1/jobs/{status['id']}/instance").json()["customers"]
        == (document["customers"])
    )
    listed = client.get("/v1/jobs").json()["jobs"]
    assert [one["id"] for one in listed if one["id"] == status["id"]]
    assert "plan" not in listed[0]


def test_proven_plans_say_so(client):
    """With prove the bound meets the cost on a small instance."""
    status = solved(client, instance=small_instance(12), prove=True, seconds=20)
    assert status["proven"]
    assert status["bound"] == pytest.approx(status["cost"])
    assert status["gap_percent"] == 0.0


def test_events_report_better_plans_and_the_end(client):
    """Numbers count up, costs go down, and the end carries the whole status."""
    answer = client.post("/v1/jobs", json={"instance": small_instance(60), "seconds": 2})
    job = answer.json()["id"]
    with client.stream("GET", f"/v1/jobs/{job}/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        found = events_of(list(stream.iter_lines()))
    numbers = [number for number, _, _ in found]
    assert numbers == sorted(set(numbers))
    costs = [json.loads(data)["cost"] for _, event, data in found if event == "better"]
    assert costs == sorted(costs, reverse=True)
    assert found[-1][1] == "end"
    status = json.loads(found[-1][2])
    assert status == job_of(client, job)
    assert costs[-1] == status["cost"]
    last_better = [json.loads(data) for _, event, data in found if event == "better"][-1]
    assert last_better["plan"] == status["plan"]


def test_events_go_on_after_the_last_one_seen(client):
    """A client that lost its connection misses nothing, and a finished job ends it."""
    status = solved(client, instance=small_instance(40))
    path = f"/v1/jobs/{status['id']}/events"
    with client.stream("GET", path) as stream:
        everything = events_of(list(stream.iter_lines()))
    seen = everything[0][0]
    with client.stream("GET", path, headers={"Last-Event-ID": str(seen)}) as stream:
        rest = events_of(list(stream.iter_lines()))
    assert rest == everything[1:]
    last = str(everything[-1][0])
    assert client.get(path, headers={"Last-Event-ID": last}).status_code == 204


def test_stop_keeps_the_best_plan(client):
    """A job ends long before its limit and has a plan."""
    document = client.get("/v1/examples/li-H1").json()["instance"]
    job = client.post("/v1/jobs", json={"instance": document, "seconds": 600}).json()["id"]
    until(lambda: job_of(client, job)["cost"] is not None)
    status = client.post(f"/v1/jobs/{job}/stop").json()
    assert status["state"] == "stopped"
    assert status["plan"]["feasible"]
    assert status["seconds"] < 60
    again = client.delete(f"/v1/jobs/{job}")
    assert (again.status_code, again.json()["state"]) == (200, "stopped")


def test_a_job_goes_on_from_its_best_plan(client):
    """Time and curve continue, and the cost never rises."""
    document = client.get("/v1/examples/li-H1").json()["instance"]
    first = solved(client, instance=document, seconds=0.5)
    answer = client.post(f"/v1/jobs/{first['id']}/continue", json={"seconds": 1})
    assert answer.status_code == 202
    second = ended(client, first["id"])
    assert second["state"] == "finished"
    assert second["seconds"] > first["seconds"]
    assert second["cost"] <= first["cost"]
    assert second["curve"][: len(first["curve"])] == first["curve"]
    assert second["limit_seconds"] == pytest.approx(first["seconds"] + 1)


def test_locked_routes_stay(client):
    """The others are improved, and the locked one is there as it was."""
    document = client.get("/v1/examples/bakery-hours").json()["instance"]
    start = solved(client, instance=document, method="savings")["plan"]
    status = solved(client, instance=document, start=start["routes"], locked=[1], seconds=2)
    kept = start["routes"][1]
    assert status["plan"]["routes"][0]["customers"] == kept["customers"]
    assert status["plan"]["routes"][0]["vehicle_type"] == kept["vehicle_type"]
    assert status["plan"]["feasible"]
    assert status["cost"] <= start["cost"]
    answer = client.post(f"/v1/jobs/{status['id']}/continue", json={"seconds": 0.5})
    assert answer.status_code == 202
    again = ended(client, status["id"])
    assert again["plan"]["routes"][0]["customers"] == kept["customers"]


def test_locked_routes_that_break_a_rule_are_refused(client):
    """With the rule; and all routes cannot be locked."""
    document = small_instance()
    everyone = list(range(1, 16))
    name = document["vehicle_types"][0]["name"]
    start = [{"vehicle_type": name, "customers": everyone}]
    request = {"instance": document, "start": start, "locked": [0]}
    answer = client.post("/v1/jobs", json=request)
    assert answer.status_code == 422
    assert "a locked route breaks a rule" in answer.json()["detail"]
    plan = solved(client, instance=document)["plan"]["routes"]
    request = {"instance": document, "start": plan, "locked": list(range(len(plan)))}
    assert "all customers" in client.post("/v1/jobs", json=request).json()["detail"]


def test_a_start_plan_that_breaks_a_rule_is_passed_over(client):
    """With a note, so that a planner may improve a plan that is not finished."""
    document = small_instance()
    name = document["vehicle_types"][0]["name"]
    start = [{"vehicle_type": name, "customers": [1, 2]}]
    status = solved(client, instance=document, start=start)
    assert status["plan"]["feasible"]
    assert "began without it" in status["notes"][0]


def test_evaluate_names_every_broken_rule(client):
    """For a plan that misses customers, repeats one and overloads a vehicle."""
    document = small_instance()
    name = document["vehicle_types"][0]["name"]
    routes = [{"vehicle_type": name, "customers": [*range(1, 15), 3]}, {
        "vehicle_type": name, "customers": []}]  # fmt: skip
    view = client.post("/v1/evaluate", json={"instance": document, "routes": routes}).json()
    assert not view["feasible"]
    assert {one["code"] for one in view["violations"]} == {"overload", "missing", "repeated"}
    overload = next(one for one in view["violations"] if one["code"] == "overload")
    assert overload["route"] == 0
    assert overload["amount"] > overload["limit"]
    assert view["unserved"] == [15]
    assert [route["customers"] for route in view["routes"]] == [routes[0]["customers"], []]


def test_evaluate_a_plan_of_a_job_returns_the_same(client):
    """Schedules and violations are those of the plan that the job has found."""
    document = client.get("/v1/examples/bakery-hours").json()["instance"]
    status = solved(client, instance=document)
    routes = status["plan"]["routes"]
    view = client.post("/v1/evaluate", json={"job": status["id"], "routes": routes}).json()
    assert view == status["plan"]
    visit = view["routes"][0]["schedule"][0]
    assert visit["stop"] == routes[0]["customers"][0]
    assert visit["arrival"] <= visit["start"] <= visit["departure"]


def test_fleet_rows_compare_with_the_best_mix(client):
    """The first row is the best; every alternative costs as much or more, or says why not."""
    document = client.get("/v1/examples/bakery").json()["instance"]
    answer = client.post("/v1/fleet", json={"instance": document, "seconds": 0.2})
    assert answer.status_code == 202
    status = ended(client, answer.json()["id"])
    assert (status["kind"], status["state"]) == ("fleet", "finished")
    best, *others = status["rows"]
    assert best["id"] == "best"
    assert best["cost"] == status["cost"]
    assert {one["id"] for one in others} >= {"without:0", "only:0", "more:0"}
    for row in others:
        assert (row["cost"] is None) == (row["error"] is not None)
        if row["cost"] is not None:
            assert row["difference"] == pytest.approx(row["cost"] - best["cost"])
            assert row["difference"] >= -1e-6
    with client.stream("GET", f"/v1/jobs/{status['id']}/events") as stream:
        events = events_of(list(stream.iter_lines()))
    assert {json.loads(data)["id"] for _, event, data in events if event == "row"} >= {
        one["id"] for one in others
    }
    assert client.post(f"/v1/jobs/{status['id']}/continue", json={"seconds": 1}).status_code == 409


def test_all_problems_of_files_come_at_once(client):
    """By table, row and column, with the tables to correct them in."""
    files = [
        ("files", ("montag.csv", STOPS.format("viel").encode("cp1252"))),
        ("files", ("fuhrpark.csv", VEHICLES.format("gross").encode("cp1252"))),
    ]
    found = client.post("/v1/validate", files=files).json()
    assert not found["ok"]
    assert found["instance"] is None
    places = [(one["table"], one["row"], one["column"], one["value"]) for one in found["problems"]]
    assert places == [("stops", 1, 4, "viel"), ("vehicles", 0, 1, "gross")]
    assert found["problems"][0]["remedy"]
    tables = found["tables"]
    assert tables["stops"]["columns"][3] == "Länge"
    assert tables["stops"]["fields"] == ["id", "name", "lat", "lon", "demand", "depot"]
    tables["stops"]["rows"][1][4] = "9,5"
    tables["vehicles"]["rows"][0][1] = "42"
    again = client.post("/v1/validate", json={"tables": tables}).json()
    assert again["ok"], again["problems"]
    assert again["instance"]["customers"][0]["demand"] == 9.5
    assert again["instance"]["vehicle_types"][0]["fixed_cost"] == 58


def test_files_in_either_order_and_a_workbook_give_the_same(client):
    """Vehicles before stops; both as sheets."""
    stops, vehicles = STOPS.format("9,5").encode(), VEHICLES.format("42").encode()
    forward = [("files", ("montag.csv", stops)), ("files", ("v.csv", vehicles))]
    first = client.post("/v1/validate", files=forward).json()
    second = client.post("/v1/validate", files=forward[::-1]).json()
    content = io.BytesIO()
    book = xlsxwriter.Workbook(content)
    for name, table in (
        ("stops", first["tables"]["stops"]),
        ("vehicles", first["tables"]["vehicles"]),
    ):
        sheet = book.add_worksheet(name)
        for number, row in enumerate([table["columns"], *table["rows"]]):
            sheet.write_row(number, 0, row)
    book.close()
    third = client.post("/v1/validate", files={"files": ("montag.xlsx", content.getvalue())}).json()
    assert first["ok"], first["problems"]
    assert first["instance"] == second["instance"] == third["instance"]
    assert first["instance"]["name"] == "montag"


def test_half_of_the_tables_is_shown_with_what_is_missing(client):
    """A planner may import the stops and type the vehicles in."""
    stops = {"files": ("montag.csv", STOPS.format("9,5").encode())}
    found = client.post("/v1/validate", files=stops).json()
    assert not found["ok"]
    assert len(found["tables"]["stops"]["rows"]) == 2
    assert {one["table"] for one in found["problems"]} == {"vehicles"}
    vehicles = {"files": ("v.csv", VEHICLES.format("42").encode())}
    found = client.post("/v1/validate", files=vehicles).json()
    assert len(found["tables"]["vehicles"]["rows"]) == 1
    assert {one["table"] for one in found["problems"]} == {"stops"}


def test_rows_that_are_too_wide_are_shown_and_marked(client):
    """No cell of a file is lost on the way to the page."""
    stops = STOPS.format("9,5") + "2;Bob;51,3;12,4;1;;zu viel\n"
    files = [("files", ("s.csv", stops)), ("files", ("v.csv", VEHICLES.format("42")))]
    found = client.post("/v1/validate", files=files).json()
    assert found["tables"]["stops"]["rows"][2][6] == "zu viel"
    assert [(one["table"], one["row"]) for one in found["problems"]] == [("stops", 2)]


def test_edited_tables_keep_what_tables_cannot_hold(client):
    """A distance matrix stays, unless rows were added."""
    document = {
        "format": "fripn-instance", "version": 1, "name": "m", "metric": "matrix",
        "depot": {"x": 0, "y": 0},
        "customers": [{"x": 1, "y": 0, "demand": 1}, {"x": 0, "y": 1, "demand": 2}],
        "vehicle_types": [{"name": "van", "capacity": 5, "fixed_cost": 10, "unit_cost": 1}],
        "matrix": [[0, 7, 8], [7, 0, 9], [8, 9, 0]],
    }  # fmt: skip
    found = client.post("/v1/validate", json={"instance": document}).json()
    tables = found["tables"]
    place = tables["stops"]["fields"].index("demand")
    tables["stops"]["rows"][1][place] = "3"
    edited = client.post("/v1/validate", json={"tables": tables, "instance": document}).json()
    assert edited["ok"], edited["problems"]
    assert edited["instance"]["matrix"] == document["matrix"]
    assert edited["instance"]["customers"][0]["demand"] == 3
    tables["stops"]["rows"].append(list(tables["stops"]["rows"][1]))
    edited = client.post("/v1/validate", json={"tables": tables, "instance": document}).json()
    assert "matrix" in edited["problems"][0]["message"]


def test_suspicious_stops_are_warned_of_in_their_row(client):
    """A stop in another country is valid, and probably wrong."""
    tables = client.get("/v1/examples/bakery").json()["tables"]
    place = tables["stops"]["fields"].index("lat")
    tables["stops"]["rows"][5][place] = "1.3"
    found = client.post("/v1/validate", json={"tables": tables}).json()
    assert found["ok"]
    assert [one["row"] for one in found["warnings"]] == [5]


@pytest.mark.parametrize(
    ("form", "start"),
    [
        ("csv", b"\xef\xbb\xbfroute,"), ("xlsx", b"PK"), ("json", b"{"), ("geojson", b"{"),
        ("html", b"<!"), ("sheets", b"<!"), ("pdf", b"%PDF"), ("sheets-zip", b"PK"),
        ("svg", b"<?xml"), ("sol", b"Route"), ("problem", b"{"),
    ],
)  # fmt: skip
def test_a_plan_is_exported_in_every_format(client, form, start, bakery_job):
    """As a download whose name has no path in it."""
    request = {"job": bakery_job, "title": "../Monday & co", "currency": "€"}
    answer = client.post(f"/v1/export/{form}", json=request)
    assert answer.status_code == 200, answer.text
    assert answer.content.startswith(start), answer.content[:40]
    disposition = answer.headers["content-disposition"]
    assert disposition.startswith('attachment; filename="Monday-co')
    if form == "json":
        instance = instance_from_dict(client.get(f"/v1/jobs/{bakery_job}/instance").json())
        plan = parse_solution(answer.content, "json", instance)
        assert evaluate(instance, plan).cost == job_of(client, bakery_job)["cost"]
    if form == "sheets-zip":
        names = zipfile.ZipFile(io.BytesIO(answer.content)).namelist()
        assert [name for name in names if name.endswith(".gpx")]


@pytest.fixture(scope="module")
def bakery_job(served):
    """Return a finished job with latitudes and longitudes."""
    with served.client() as client:
        document = client.get("/v1/examples/bakery").json()["instance"]
        return solved(client, instance=document, method="savings")["id"]


def test_formulas_in_exports_are_text(client):
    """Names that a spreadsheet program would run are shown instead."""
    document = small_instance(2)
    for place, stop in enumerate((document["depot"], *document["customers"])):
        stop["name"] = f'=HYPERLINK("http://evil.example","{place}")'
    name = document["vehicle_types"][0]["name"]
    routes = [{"vehicle_type": name, "customers": [one]} for one in (1, 2)]
    request = {"instance": document, "routes": routes}
    table = client.post("/v1/export/csv", json=request)
    assert table.status_code == 200, table.text
    assert b"'=HYPERLINK" in table.content
    assert b",=HYPERLINK" not in table.content
    assert b',"=HYPERLINK' not in table.content
    book = client.post("/v1/export/xlsx", json=request).content
    for part in zipfile.ZipFile(io.BytesIO(book)).namelist():
        assert b"<f>" not in zipfile.ZipFile(io.BytesIO(book)).read(part)


def test_plans_that_break_a_rule_are_not_exported(client):
    """With the rule in the answer."""
    document = small_instance(3)
    request = {"instance": document, "routes": []}
    answer = client.post("/v1/export/csv", json=request)
    assert answer.status_code == 422
    assert "customer 1 is not visited" in answer.json()["detail"]


def test_idempotency_keys_submit_once(client):
    """The same request again returns the same job, another one is refused."""
    request = {"instance": small_instance(5), "seconds": 0.2, "name": "once"}
    key = {"Idempotency-Key": "order-17"}
    first = client.post("/v1/jobs", json=request, headers=key)
    again = client.post("/v1/jobs", json=request, headers=key)
    assert (again.status_code, again.json()["id"]) == (202, first.json()["id"])
    other = client.post("/v1/jobs", json={**request, "seconds": 0.3}, headers=key)
    assert other.status_code == 409


def test_idempotency_keys_hold_for_requests_at_the_same_time(served):
    """Of many requests with one key, one makes the job."""
    request = {"instance": small_instance(5), "seconds": 0.2, "name": "at once"}

    def submit(_):
        with served.client() as client:
            key = {"Idempotency-Key": "order-18"}
            return client.post("/v1/jobs", json=request, headers=key).json()["id"]

    with ThreadPoolExecutor(8) as threads:
        assert len(set(threads.map(submit, range(16)))) == 1


def test_ended_jobs_can_be_removed(client):
    """And only those."""
    job = solved(client, instance=small_instance(5), seconds=0.2)["id"]
    assert client.delete(f"/v1/jobs/{job}", params={"forget": True}).status_code == 204
    assert client.get(f"/v1/jobs/{job}").status_code == 404
    assert client.get(f"/v1/jobs/{job}/events").status_code == 404


@pytest.mark.parametrize(
    ("path", "body", "status", "field", "part"),
    [
        ("/v1/jobs", {}, 422, "instance", "field required"),
        ("/v1/jobs", {"instance": {}}, 422, "format", "missing"),
        ("/v1/jobs", {"instance": "SMALL", "seconds": 0}, 422, "seconds", "greater than 0"),
        ("/v1/jobs", {"instance": "SMALL", "seconds": 1e9}, 422, "seconds", "at most 3600"),
        ("/v1/jobs", {"instance": "SMALL", "seconds": "5"}, 422, "seconds", "number"),
        ("/v1/jobs", {"instance": "SMALL", "method": "magic"}, 422, "method", "choose one of"),
        ("/v1/jobs", {"instance": "SMALL", "colour": 1}, 422, "colour", "not permitted"),
        ("/v1/jobs", {"instance": "SMALL", "locked": [0]}, 422, "locked", "no plan to start"),
        ("/v1/evaluate", {"routes": []}, 422, "instance", "send one of them"),
        ("/v1/evaluate", {"job": "0" * 16, "routes": []}, 404, "job", "there is no job"),
        ("/v1/evaluate", {"instance": "SMALL", "routes": [{"vehicle_type": "x", "customers": []}]},
         422, "vehicle_type", "does not have"),
        ("/v1/export/doc", {"instance": "SMALL", "routes": []}, 404, "format", "choose one of"),
        ("/v1/export/csv", {"instance": "SMALL"}, 422, "routes", "no plan"),
        ("/v1/validate", {}, 422, "tables", "send one of them"),
    ],
)  # fmt: skip
def test_errors_have_field_value_and_remedy(client, path, body, status, field, part):
    """As problem details, for programs and for people."""
    if body.get("instance") == "SMALL":
        body = {**body, "instance": small_instance(4)}
    answer = client.post(path, json=body)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["status"] == status
    assert problem["field"] == field
    assert part in problem["detail"].lower()


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b"[]", b"null", b"[" * 100_000, b'{"a": 1, "a": 2}', b'{"instance": NaN}',
        b'{"name": "\\ud800", "instance": {}}', b"\xff\xfe", b'{"instance": {"depot": 1e999}}',
        b'{"instance": ' + b"9" * 10_000 + b"}",
    ],
    ids=range(11),
)  # fmt: skip
@pytest.mark.parametrize("path", ["/v1/jobs", "/v1/validate", "/v1/evaluate", "/v1/export/csv"])
def test_broken_bodies_are_refused(client, path, content):
    """With a sentence and never with a failure of the service."""
    answer = client.post(path, content=content, headers={"Content-Type": "application/json"})
    if path == "/v1/validate" and answer.status_code == 200:
        assert answer.json()["problems"]  # the request is right, the instance in it is not
        return
    assert answer.status_code == 422
    assert answer.json()["detail"]


def test_other_content_types_are_refused(client):
    """So that no form of another page can be taken for a request."""
    answer = client.post("/v1/jobs", content=b"{}", headers={"Content-Type": "text/plain"})
    assert answer.status_code == 415


def test_too_large_instances_are_refused(start):
    """By the limits that the service was started with."""
    service = start("--max-stops", 5, "--max-types", 6)
    with service.client() as client:
        answer = client.post("/v1/jobs", json={"instance": small_instance(6)})
    assert (answer.status_code, answer.json()["field"]) == (422, "customers")


def test_a_full_queue_refuses_and_the_rest_is_solved(start):
    """Jobs beyond the limit are told to come again; those that wait keep their order."""
    service = start("--parallel", 1, "--queue", 2)
    with service.client() as client:
        request = {"instance": small_instance(30), "seconds": 600}
        first = client.post("/v1/jobs", json=request).json()["id"]
        until(lambda: job_of(client, first)["state"] == "running")
        waiting = [client.post("/v1/jobs", json=request).json() for _ in range(2)]
        assert [job_of(client, one["id"])["queue_position"] for one in waiting] == [1, 2]
        refused = client.post("/v1/jobs", json=request)
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "5")
        assert client.delete(f"/v1/jobs/{first}", params={"forget": True}).status_code == 409
        assert client.post(f"/v1/jobs/{waiting[0]['id']}/stop").json()["state"] == "stopped"
        client.post(f"/v1/jobs/{first}/stop")
        until(lambda: job_of(client, waiting[1]["id"])["state"] == "running")
        client.post(f"/v1/jobs/{waiting[1]['id']}/stop")


def test_old_jobs_are_removed(start):
    """The newest are kept, as many as stated."""
    service = start("--keep", 2)
    with service.client() as client:
        jobs = [solved(client, instance=small_instance(4), seconds=0.2)["id"] for _ in range(4)]
        until(lambda: len(client.get("/v1/jobs").json()["jobs"]) == 2)
        kept = [one["id"] for one in client.get("/v1/jobs").json()["jobs"]]
    assert kept == [jobs[3], jobs[2]]
