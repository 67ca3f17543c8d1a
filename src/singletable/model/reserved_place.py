"""Place of the reserved items of a table: the table itself, or a separate control table.

The library stores reserved items for its own use, such as the design state and the markers of idempotency tokens.
"""

from __future__ import annotations

from typing import Any

from singletable.errors import Location
from singletable.lazy_dataclass import dataclass
from singletable.model.design import Design
from singletable.model.table_schema import RESERVED_PREFIX, RESERVED_TYPE, TABLE, Index, KeyAttribute, TableSettings

CONTROL_KEY = "item"
"""The partition key of a control table. A control table has no sort key."""
CONTROL_TTL = "expires_at"
"""The TTL attribute of a control table."""
_PLACE = Location("control table", 1)
Key = dict[str, Any]


@dataclass(frozen=True)
class ReservedPlace:
    """The table that contains the reserved items of a table, and how it stores them."""

    owner: str
    """The name of the table to which the items belong."""
    table: str
    """The name of the table that contains the items: the owner, or its control table."""
    attributes: tuple[str, ...] = (CONTROL_KEY,)
    type_attribute: str | None = None
    ttl_attribute: str | None = CONTROL_TTL

    @property
    def is_control_table(self) -> bool:
        """Whether a control table contains the items."""
        return self.table != self.owner

    def text(self, text: str) -> str:
        """Return the key text of a reserved item: in a control table, the name of the owner replaces the prefix."""
        if not self.is_control_table:
            return text
        return f"{self.owner}#{text.removeprefix(RESERVED_PREFIX)}"

    def key(self, text: str) -> Key:
        """Return the key of a reserved item."""
        stored = {"S": self.text(text)}
        return dict.fromkeys(self.attributes, stored)

    def item(self, text: str, **attributes: Any) -> Key:
        """Return a reserved item with these attributes, and with the type attribute of the table."""
        named = {} if self.type_attribute is None else {self.type_attribute: {"S": RESERVED_TYPE}}
        return {**self.key(text), **attributes, **named}


def control_place(owner: str, table: str) -> ReservedPlace:
    """Return the place of the reserved items of a table in a control table."""
    return ReservedPlace(owner, table)


def place_in_table(design: Design, name: str) -> ReservedPlace | None:
    """Return the place of reserved items in the table itself, or None if its keys are not strings."""
    if any(each.type != "S" for each in (*design.table.partition, *design.table.sort)):
        return None
    return ReservedPlace(name, name, design.table.key_attributes, design.settings.type_attribute, design.ttl_attribute)


def reserved_place(design: Design, name: str) -> ReservedPlace | None:
    """Return the place of the reserved items of a table that is open under this name.

    Return None if the keys of the table are not strings, and the model declares no control table.
    """
    control = design.settings.control_table_of(name)
    return place_in_table(design, name) if control is None else control_place(name, control)


NO_PLACE = "declare a control table for it: class ...(Table, control_table=True, entities=[...])"
"""The remedy for a table that cannot contain reserved items."""


def control_design(name: str) -> Design:
    """Return the design of a control table, which has no entities."""
    settings = TableSettings(name, _PLACE, (CONTROL_KEY,), type_attribute=None, ttl_attribute=CONTROL_TTL)
    return Design(settings, (), {TABLE: Index(TABLE, name, "table", (KeyAttribute(CONTROL_KEY),), ())}, ())
