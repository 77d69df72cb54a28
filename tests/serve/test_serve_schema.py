"""The description of the API holds, and no request that follows or breaks it fails the service."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from served import TOKEN

from fripn.serve import models

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


@pytest.mark.slow
def test_no_request_fails_the_service(served, tmp_path):
    """Valid and invalid requests made from the description are never answered with 5xx."""
    ended = subprocess.run(
        [
            sys.executable, "-m", "schemathesis.cli", "run", f"{served.url}/v1/openapi.json",
            "--header", f"Authorization: Bearer {TOKEN}", "--checks", "not_a_server_error",
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
