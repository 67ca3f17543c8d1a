"""The tests on the documentation page about testing pass."""

from __future__ import annotations

from functools import reduce

import pytest

from tools.pages import ROOT, at_its_line, blocks_of

pytest_plugins = ("pytester",)


def test_the_testing_guide_has_examples_that_pass_with_the_pytest_plugin(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    program = reduce(at_its_line, blocks_of(ROOT / "docs" / "guides" / "test-your-application.md", "python"), "")
    pytester.makepyfile(test_page=program)
    pytester.makeconftest(
        "from hypothesis import settings\n"
        "settings.register_profile('page', deadline=None, max_examples=20)\n"
        "settings.load_profile('page')\n"
    )
    result = pytester.runpytest_subprocess("-p", "singletable.testing.plugin", "-p", "no:cacheprovider", "-q")
    result.assert_outcomes(passed=9)
