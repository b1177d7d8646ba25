"""The API held to its own description: whatever is sent, no server error, nothing that is not described."""

import subprocess
import sys

import pytest


@pytest.mark.slow
def test_the_api_holds_to_its_description_whatever_is_sent(serve, staged, tmp_path):
    arena = serve(limits=staged[2])
    checks = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
    checks += ",negative_data_rejection,unsupported_method"
    found = subprocess.run(
        [sys.executable, "-m", "schemathesis.cli", "run", f"http://127.0.0.1:{arena.port}/openapi.json",
         "--checks", checks, "--phases", "coverage,fuzzing", "-n", "60", "--continue-on-failure",
         "--generation-database", "none", "--no-color"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=900,
        check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stdout[-4000:] + found.stderr[-2000:]
    assert "Tested: " in found.stdout
    assert "Traceback" not in arena.errors.read_text()
