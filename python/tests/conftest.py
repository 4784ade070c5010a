"""Random calls: few, or with --long as many as a release is tested with."""

import pytest


def pytest_addoption(parser):
    parser.addoption("--long", action="store_true", help="500 random calls of each kind")


@pytest.fixture
def calls(request):
    return 500 if request.config.getoption("--long") else 25
