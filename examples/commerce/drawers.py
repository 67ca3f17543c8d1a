"""Show the table as a filing cabinet with one drawer per partition: every item with its keys, type and version."""

from typing import Any

from singletable.client.tracing import RequestEvent

from ..script import Script, fill
from .model import Commerce
from .rows import ROWS

Items = list[dict[str, str]]
COLUMNS = ("PK", "SK", "entity_type", "schema_v", "GSI1PK", "GSI2PK")


def execute(table: Commerce) -> Items:
    """Put the rows, and return the items that the client sends; a request hook records them."""
    stored: list[dict[str, Any]] = []

    def note(request: RequestEvent) -> None:
        if request.operation == "PutItem":
            stored.append(request.parameters["Item"])

    with Commerce.open("memory:", hook=note) as watched:
        fill(watched, ROWS)
    items = [{name: str(*item[name].values()) for name in COLUMNS if name in item} for item in stored]
    return sorted(items, key=lambda item: (item["PK"], item["SK"]))


def show(items: Items) -> None:
    widths = {name: max(len(name), *(len(item.get(name, "")) for item in items)) for name in COLUMNS}
    print("  ".join(f"{name:<{width}}" for name, width in widths.items()).rstrip())
    drawer = ""
    for item in items:
        shown = item if item["PK"] != drawer else {**item, "PK": ""}
        print("  ".join(f"{shown.get(name, ''):<{width}}" for name, width in widths.items()).rstrip())
        drawer = item["PK"]


SCRIPT = Script(Commerce, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
