"""Reserved items of a table: reads, conditional writes and transactions of items that only singletable uses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from singletable.client.design_state import CONTENT
from singletable.client.request_steps import Call, Steps
from singletable.client.responses import Item, read_get
from singletable.errors import RequestRefused, StreamRefused, TransactionCancelled
from singletable.model.design import Design
from singletable.model.reserved_place import NO_PLACE, ReservedPlace, reserved_place
from singletable.model.table_schema import RESERVED_TYPE, STREAM_STATE

CONDITION_FAILED = "ConditionalCheckFailedException"
CANCELLED = "TransactionCanceledException"
SOURCE = "stream state"
"""The source of the requests for the items of streams."""

Content = dict[str, Any]
"""The members of the content of a reserved item, in DynamoDB JSON."""


@dataclass(frozen=True)
class ReservedItems:
    """The reserved items of one table whose keys begin with a prefix."""

    place: ReservedPlace
    prefix: str = STREAM_STATE
    source: str = SOURCE
    """The source of the requests, in metrics and logs."""

    @property
    def table(self) -> str:
        """The name of the table that contains the items."""
        return self.place.table

    @property
    def type_attribute(self) -> str | None:
        """The attribute with the type of an item, or None."""
        return self.place.type_attribute

    def key(self, *parts: str) -> Item:
        """Return the key of the item with this name."""
        return self.place.key(self._text(parts))

    def _text(self, parts: tuple[str, ...]) -> str:
        return "#".join((self.prefix, *parts))

    def item(self, content: Content, *parts: str) -> Item:
        """Return an item with its content."""
        return self.place.item(self._text(parts), **{CONTENT: {"M": content}})

    def read(self, *parts: str) -> Steps[Item | None]:
        """Read an item, consistently."""
        request = {"TableName": self.table, "Key": self.key(*parts), "ConsistentRead": True}
        (body,) = yield (Call("GetItem", request, source=self.source),)
        return read_get(body).item

    def content(self, *parts: str) -> Steps[Content | None]:
        """Read the content of an item; None if there is no such item."""
        item = yield from self.read(*parts)
        if item is None:
            return None
        content: Content = item[CONTENT]["M"]
        return content

    def replaces(self, before: Content | None) -> dict[str, Any]:
        """Return the condition that an item has this content, or does not exist."""
        names = {"#content": CONTENT}
        if before is None:
            return {"ConditionExpression": "attribute_not_exists(#content)", "ExpressionAttributeNames": names}
        values = {":before": {"M": before}}
        condition = {"ConditionExpression": "#content = :before", "ExpressionAttributeNames": names}
        return condition | {"ExpressionAttributeValues": values}

    def put(self, content: Content, *parts: str) -> dict[str, Any]:
        """Return the Put of an item, as the parameters of PutItem or of an action of a transaction."""
        return {"TableName": self.table, "Item": self.item(content, *parts)}

    def delete(self, *parts: str) -> dict[str, Any]:
        """Return the Delete of an item."""
        return {"TableName": self.table, "Key": self.key(*parts)}

    def replace(
        self, before: Content | None, after: Content, *parts: str, expires_at: float | None = None
    ) -> Steps[bool]:
        """Replace an item if it still has the content `before`. Return whether it had.

        With `expires_at`, the item expires if the table has a time to live.
        """
        request = self.put(after, *parts) | self.replaces(before)
        if expires_at is not None and self.place.ttl_attribute is not None:
            request["Item"][self.place.ttl_attribute] = {"N": str(int(expires_at))}
        try:
            yield (Call("PutItem", request, source=self.source),)
        except RequestRefused as problem:
            if problem.code != CONDITION_FAILED:
                raise
            return False
        return True

    def change_set(self, name: str, *parts: str, add: str | None = None, remove: str | None = None) -> dict[str, Any]:
        """Return the Update that adds a text to a set attribute of an item, or removes it."""
        verb, text = ("ADD", add) if add is not None else ("DELETE", remove)
        expression, names = f"{verb} #set :text", {"#set": name}
        values: Item = {":text": {"SS": [text]}}
        if self.type_attribute is not None:
            expression += " SET #type = :type"
            names["#type"], values[":type"] = self.type_attribute, {"S": RESERVED_TYPE}
        update = {"TableName": self.table, "Key": self.key(*parts), "UpdateExpression": expression}
        return update | {"ExpressionAttributeNames": names, "ExpressionAttributeValues": values}

    def commit(self, *actions: tuple[str, dict[str, Any]]) -> Steps[bool]:
        """Send the actions in one transaction. Return whether all conditions held."""
        items = [{kind: parameters} for kind, parameters in actions]
        try:
            yield (Call("TransactWriteItems", {"TransactItems": items}, source=self.source),)
        except RequestRefused as problem:
            if problem.code != CANCELLED:
                raise
            reasons = problem.fields.get("CancellationReasons") or ()
            if not any((each.get("Code") or "") == "ConditionalCheckFailed" for each in reasons):
                raise
            return False
        except TransactionCancelled:
            return False
        return True


def reserved_items(design: Design, table: str) -> ReservedItems:
    """Return the reserved items of the stream of a table. Raise StreamRefused if no table can contain them."""
    place = reserved_place(design, table)
    if place is None:
        raise StreamRefused(
            f"{design.name}: the keys of the table are not strings, so it cannot contain the leases and checkpoints of "
            f"a stream worker.\n  Use a Lambda function, whose event source mapping keeps the position, or {NO_PLACE}."
        )
    return ReservedItems(place)
