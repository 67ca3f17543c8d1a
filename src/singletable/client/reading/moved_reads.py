"""Reads by key while a migration moves items: each reads the old key of an item and then the new one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from singletable.client.items.moved_keys import BothKeys, MovedKeys, check_size, with_key, with_reasons
from singletable.client.request_steps import Call, Steps
from singletable.client.responses import Item, read_batch_get, read_get, read_transaction_get
from singletable.client.write.derived_actions import OWNER
from singletable.client.write.item_actions import KeyId, key_id
from singletable.errors import RequestRefused
from singletable.evolve.phases import FormUse, ItemForm
from singletable.values.limits import BATCH_GET_KEYS_MAX

_encode, _decode = msgspec.json.encode, msgspec.json.decode


class MovedReads:
    """Translates the reads of one table by key."""

    def __init__(self, table: str, keys: MovedKeys) -> None:
        self._table, self._keys = table, keys

    def translation(self, call: Call, form: ItemForm) -> Steps[bytes] | None:
        """Return the steps that replace a read, or None if it concerns no moved item."""
        match call.operation:
            case "GetItem":
                key = call.parameters["Key"]
                keys = self._keys.keys_of(key)
                if keys is None and form.writes is FormUse.WRITES_OLD_KEYS and self._keys.is_marker(key):
                    return self._get_marker(call)
                return None if keys is None else self._get(call, keys, form)
            case "BatchGetItem":
                given = call.parameters["RequestItems"][self._table]["Keys"]
                return self._get_batch(call, form) if any(map(self._keys.keys_of, given)) else None
            case "TransactGetItems":
                given = [each["Get"]["Key"] for each in call.parameters["TransactItems"]]
                return self._get_together(call) if any(map(self._keys.keys_of, given)) else None
            case _:
                return None

    def _places(self, keys: BothKeys, form: ItemForm) -> tuple[Item, ...]:
        """Return both keys in the order of the reads, so that the client also finds an item that moves meanwhile."""
        is_returning = form.reads is FormUse.READS_RETURNING
        return (keys.old, keys.new, keys.old) if is_returning else (keys.old, keys.new)

    def _get(self, call: Call, keys: BothKeys, form: ItemForm) -> Steps[bytes]:
        requested, units = call.parameters["Key"], 0.0
        for key in self._places(keys, form):
            parameters = {**call.parameters, "Key": key, "ConsistentRead": True}
            (body,) = yield (call._replace(parameters=parameters),)
            response = read_get(body)
            units += 0.0 if response.consumed_capacity is None else response.consumed_capacity.capacity_units
            if response.item is not None:
                item = with_key(response.item, requested)
                return _encode({"Item": item, "ConsumedCapacity": {"CapacityUnits": units}})
        return _encode({"ConsumedCapacity": {"CapacityUnits": units}})

    def _get_marker(self, call: Call) -> Steps[bytes]:
        (body,) = yield (call,)
        document = _decode(body)
        marker = document.get("Item")
        if marker is not None and OWNER in marker:
            document["Item"] = {**marker, OWNER: self._keys.owner(marker[OWNER], is_old=False)}
        return _encode(document)

    def _get_batch(self, call: Call, form: ItemForm) -> Steps[bytes]:
        """Read the other items, the old keys, and then the new keys of the items that were not found."""
        settings = dict(call.parameters["RequestItems"][self._table])
        requested = list(settings.pop("Keys"))
        pairs = {key_id(key): self._keys.keys_of(key) for key in requested}
        found: list[Item] = []
        units = 0.0
        unprocessed: list[Item] = []
        plain = [key for key in requested if pairs[key_id(key)] is None]
        waiting = [key for key in requested if pairs[key_id(key)] is not None]
        stages = 3 if form.reads is FormUse.READS_RETURNING else 2
        for stage in range(stages):
            places: dict[KeyId, list[Item]] = {}
            read = list(plain if stage == 0 else ())
            for key in waiting:  # an index can list both keys of an item
                place = self._place(pairs, key, form, stage)
                read += [] if key_id(place) in places else [place]
                places.setdefault(key_id(place), []).append(key)
            settings["ConsistentRead"] = settings.get("ConsistentRead", False) or bool(waiting)
            for start in range(0, len(read), BATCH_GET_KEYS_MAX):
                chunk = read[start : start + BATCH_GET_KEYS_MAX]
                parameters = {**call.parameters, "RequestItems": {self._table: {**settings, "Keys": chunk}}}
                (body,) = yield (call._replace(parameters=parameters),)
                answer = read_batch_get(body)
                units += sum(each.capacity_units for each in answer.consumed_capacity)
                for item in answer.responses.get(self._table, ()):
                    keys = places.pop(key_id({name: item[name] for name in self._keys.names}), None)
                    found += [item] if keys is None else [with_key(item, key) for key in keys]
                for key in answer.unprocessed_keys.get(self._table, {}).get("Keys", ()):
                    unprocessed += places.pop(key_id(key), [key])
            waiting = [key for keys in places.values() for key in keys]
            if not waiting:
                break
        document: dict[str, Any] = {"Responses": {self._table: found}, "ConsumedCapacity": [{"CapacityUnits": units}]}
        if unprocessed:
            document["UnprocessedKeys"] = {self._table: {**settings, "Keys": unprocessed}}
        return _encode(document)

    def _place(self, pairs: Mapping[KeyId, BothKeys | None], key: Item, form: ItemForm, stage: int) -> Item:
        keys = pairs[key_id(key)]
        assert keys is not None, "only moved items have two places"
        return self._places(keys, form)[stage]

    def _get_together(self, call: Call) -> Steps[bytes]:
        """Read both keys of every moved item in one transaction."""
        entries: list[dict[str, Any]] = []
        groups: list[tuple[Item, range]] = []
        for entry in call.parameters["TransactItems"]:
            keys = self._keys.keys_of(entry["Get"]["Key"])
            places = [entry["Get"]["Key"]] if keys is None else [keys.old, keys.new]
            groups.append((entry["Get"]["Key"], range(len(entries), len(entries) + len(places))))
            entries += [{"Get": {**entry["Get"], "Key": key}} for key in places]
        check_size(entries)
        try:
            (body,) = yield (call._replace(parameters={**call.parameters, "TransactItems": entries}),)
        except RequestRefused as problem:
            reasons = problem.fields.get("CancellationReasons")
            if reasons is None or len(reasons) != len(entries):
                raise
            merged = [
                next((reasons[n] for n in places if reasons[n].get("Code") != "None"), reasons[places[0]])
                for _, places in groups
            ]
            raise with_reasons(problem, merged) from None
        answer = read_transaction_get(body)
        items = [
            next((answer.responses[n].item for n in places if answer.responses[n].item), None) for _, places in groups
        ]
        responses = [
            {} if item is None else {"Item": with_key(item, key)} for (key, _), item in zip(groups, items, strict=True)
        ]
        units = sum(each.capacity_units for each in answer.consumed_capacity)
        return _encode({"Responses": responses, "ConsumedCapacity": [{"CapacityUnits": units}]})
