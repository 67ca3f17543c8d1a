"""The values of a form in a page, as a browser sends them."""

from __future__ import annotations

from html.parser import HTMLParser


class _Form(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.values: dict[str, str] = {}
        self._select = self._area = ""
        self._option: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        name = given.get("name") or ""
        if tag == "select":
            self._select = name
        if tag == "option" and "selected" in given:
            self._option = ""
        if tag == "textarea":
            self._area, self.values[name] = name, ""
        is_sent = given.get("type") != "checkbox" or "checked" in given
        if tag == "input" and name and is_sent and "disabled" not in given:
            self.values[name] = given.get("value") or ("on" if given.get("type") == "checkbox" else "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "option" and self._option is not None:
            self.values[self._select], self._option = self._option, None
        if tag == "textarea":
            self._area = ""

    def handle_data(self, data: str) -> None:
        if self._option is not None:
            self._option += data
        if self._area:
            self.values[self._area] += data.removeprefix("\n")


def form_values(page: str) -> dict[str, str]:
    """Return the names and values of the inputs of a page whose names begin with `f.`."""
    form = _Form()
    form.feed(page)
    return {name: value for name, value in form.values.items() if name.startswith("f.")}
