"""Divided entities: an entity whose fields are in one item or in two, and the conditions for a migration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from singletable.evolve.snapshot_records import EntitySnapshot, FieldSnapshot
from singletable.lazy_dataclass import dataclass
from singletable.model.table_schema import TABLE


def fields_of_part(part: EntitySnapshot, names: Mapping[str, str]) -> Mapping[str, str]:
    """Return each field of a part with its name in the whole entity. Most fields have the same name in both."""
    return {each.name: names.get(each.name, each.name) for each in part.fields}


@dataclass(frozen=True)
class DividedEntity:
    """An entity with all its fields, and the same entity divided in two: the whole without some fields, and a part."""

    united: EntitySnapshot
    divided: EntitySnapshot
    part: EntitySnapshot
    fields: Mapping[str, str]
    """Each field of the part, with its name in the united entity."""

    @property
    def moved(self) -> Mapping[str, FieldSnapshot]:
        """The fields of the united entity that only the part has, by their name in the part."""
        found = {name: self.united.field(other) for name, other in self.fields.items()}
        return {name: each for name, each in found.items() if each and self.divided.field(each.name) is None}

    @property
    def shared(self) -> Mapping[str, str]:
        """The fields that both items have: each name in the part, with the name in the whole."""
        moved = self.moved
        return {name: other for name, other in self.fields.items() if name not in moved}

    def problems(self) -> Iterator[str]:
        """Yield the reasons why no migration can divide or unite the items."""
        whole, part, shared = self.united.label, self.part.label, self.shared
        for name, other in self.fields.items():
            ours, theirs = self.part.field(name), self.united.field(other)
            if theirs is None:
                yield f"{part}.{name} has no field in {whole}; name the field, or add or remove it in another migration"
            elif ours is not None and ours.type != theirs.type:
                yield f"{part}.{name} and {whole}.{other} have different types"
        if not self.moved:
            yield f"no field moves between {whole} and {part}"
        if missing := sorted(self.part.keys[TABLE].fields - shared.keys()):
            yield f"the key of {part} contains {', '.join(missing)}, which the other half of {whole} does not have"
        if missing := sorted(self.divided.keys[TABLE].fields - {*shared.values()}):
            yield f"the key of {whole} contains {', '.join(missing)}, which {part} does not have"
        for each in (self.united, self.divided, self.part):
            if each.schema_version is not None:
                yield f"{each.label} has a schema version, so an item can have an older form"
        if self.part.unique or self.part.counted or self.part.copies or self.part.mirror_of or self.part.ttl:
            yield f"{part} has derived data or a TTL field; add or remove them in another migration"
        used = {name for fields in self.united.unique for name in fields}
        used |= {name for each in self.united.copies for name in each.by.values()}
        used |= {name for each in self.united.counted for name in each.by.values()}
        used |= {name for each in self.united.copies for name in each.fields.values()}
        used |= {name for name in (self.united.ttl, self.united.version) if name is not None}
        if blocked := sorted(used & {each.name for each in self.moved.values()}):
            yield f"derived data of {whole} depends on {', '.join(blocked)}"
