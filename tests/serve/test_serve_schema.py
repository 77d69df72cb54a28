"""The description of the API holds, and no request that follows or breaks it fails the service."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from served import TOKEN, ended, small_instance

from fripn.serve import answers, models

#: Requests per address and phase; more of them: ``schemathesis run`` as below.
EXAMPLES = 8


def test_the_description_has_every_address(client):
    """With what its body holds, and the token."""
    described = client.get("/v1/openapi.json").json()
    assert described["openapi"].startswith("3.1")
    assert set(described["paths"]) == {
        "/health", "/v1/schema", "/v1/info", "/v1/examples/{name}", "/v1/validate", "/v1/jobs",
        "/v1/fleet", "/v1/jobs/{job}", "/v1/jobs/{job}/instance", "/v1/jobs/{job}/events",
        "/v1/jobs/{job}/stop", "/v1/jobs/{job}/continue", "/v1/evaluate", "/v1/export/{form}",
    }  # fmt: skip
    assert described["security"] == [{"token": []}]
    assert described["paths"]["/health"]["get"]["security"] == []
    body = described["paths"]["/v1/jobs"]["post"]["requestBody"]["content"]["application/json"]
    assert body["schema"] == {"$ref": "#/components/schemas/JobRequest"}
    assert "RouteModel" in described["components"]["schemas"]


def test_the_examples_of_the_description_work(client):
    """They are the first that a programmer tries."""
    paths = {
        models.JobRequest: ("/v1/jobs", 202), models.FleetRequest: ("/v1/fleet", 202),
        models.ValidateRequest: ("/v1/validate", 200),
        models.EvaluateRequest: ("/v1/evaluate", 200),
        models.ExportRequest: ("/v1/export/csv", 200),
    }  # fmt: skip
    for model, (path, status) in paths.items():
        for example in model.model_json_schema()["examples"]:
            answer = client.post(path, json=example)
            assert answer.status_code == status, answer.text
            if path == "/v1/validate":
                assert answer.json()["ok"]


def test_every_answer_is_described(client):
    """No answer is left as any JSON but instances, whose schema is at an address of its own."""
    described = client.get("/v1/openapi.json").json()
    left = {
        (path, method)
        for path, methods in described["paths"].items()
        for method, operation in methods.items()
        for status, answer in operation["responses"].items()
        for content in answer.get("content", {}).values()
        if status != "default" and content["schema"] in ({}, {"type": "object"})
    }
    assert left == {("/v1/jobs/{job}/instance", "get"), ("/v1/export/{form}", "post")}
    assert all(
        one["summary"] for methods in described["paths"].values() for one in methods.values()
    )


def test_answers_are_as_described(client):
    """With and without times, of jobs and comparisons, of right and of wrong data."""
    example = client.get("/v1/examples/bakery-hours").json()
    answers.Example.model_validate(example, strict=True)
    instance = example["instance"]
    body = {"instance": instance, "seconds": 0.5}
    for path, document in (("/v1/jobs", body), ("/v1/fleet", {**body, "seconds": 0.1})):
        submitted = client.post(path, json=document).json()
        answers.Job.model_validate(submitted)
        status = ended(client, submitted["id"])
        assert answers.Job.model_validate(status).plan is not None
    answers.Jobs.model_validate(client.get("/v1/jobs").json())
    answers.Info.model_validate(client.get("/v1/info").json())
    answers.Schemas.model_validate(client.get("/v1/schema").json())
    name = instance["vehicle_types"][0]["name"]
    routes = [{"vehicle_type": name, "customers": list(range(1, 40))}]
    plan = client.post("/v1/evaluate", json={"instance": instance, "routes": routes}).json()
    assert answers.Plan.model_validate(plan).violations
    tables = example["tables"]
    tables["stops"]["rows"][2][tables["stops"]["fields"].index("demand")] = "much"
    for wrong in ({"tables": tables}, {"instance": {}}, {"instance": small_instance(3)}):
        checked = client.post("/v1/validate", json=wrong).json()
        answers.Checked.model_validate(checked)


@pytest.mark.slow
def test_no_request_fails_the_service(served, tmp_path):
    """Valid and invalid requests are never answered with 5xx, and all answers are as described."""
    ended = subprocess.run(
        [
            sys.executable, "-m", "schemathesis.cli", "run", f"{served.url}/v1/openapi.json",
            "--header", f"Authorization: Bearer {TOKEN}", "--checks",
            "not_a_server_error,status_code_conformance,content_type_conformance,"
            "response_schema_conformance",
            "--max-examples", str(EXAMPLES), "--phases", "examples,coverage,fuzzing",
            "--mode", "all", "--seed", "1", "--no-color", "--request-timeout", "60",
            "--generation-database", "none",
        ],
        capture_output=True, text=True, timeout=800, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stdout[-4000:] + ended.stderr[-2000:]
    found = re.search(r"(\d+) generated, (\d+) passed", ended.stdout)
    assert found is not None, ended.stdout
    assert found[1] == found[2]
    assert int(found[1]) > 100
