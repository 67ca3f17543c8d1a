"""IAM policies per tenant: every partition that can be reached begins with the tenant of the caller's tag."""

from __future__ import annotations

import re
from collections.abc import Iterator

from singletable.errors import ExportRefused
from singletable.export.iam import Place, Policy, sized, statements
from singletable.export.leading_keys import tenant_pattern
from singletable.export.names import pascal_case
from singletable.export.permissions import Permission, reading, writing
from singletable.export.table import ExportedTable

# What the value of a tag may hold beside letters, digits and spaces.
_TAG_MARKS = "_.:/=+-@"


def tenant_policies(table: ExportedTable, field: str, tag: str, place: Place) -> tuple[Policy, ...]:
    """A policy to read, and one to read and write, what belongs to the caller's tenant; refuses what cannot be kept."""
    if not re.fullmatch(r"[\w+=.@:/-]{1,128}", tag, re.ASCII):
        raise ExportRefused(f"{tag!r} is no key of a principal's tag")
    design, variable = table.design, f"${{aws:PrincipalTag/{tag}}}"
    reads = [each for entity in design.entities for each in reading(design, entity)]
    writes = [each for entity in design.entities for each in writing(design, entity)]
    problems = list(dict.fromkeys(_problems([*reads, *writes], field)))
    if problems:
        shown = "\n  ".join(problems)
        example = design.settings.delimiter.join(("TENANT", f"{{{field}}}"))
        raise ExportRefused(
            f"{table.name} cannot keep the tenants of {field!r} apart by LeadingKeys:\n  {shown}\n"
            f'Begin these partition keys with the tenant, as in "{example}{design.settings.delimiter}...", '
            "or keep what all tenants share in a table of its own."
        )

    def keys(permission: Permission) -> str | None:
        return tenant_pattern(permission.placement, field, variable)

    head, notes = pascal_case(table.name), tuple(_notes(table, field, tag))
    read = f"Reads of what belongs to one tenant in {table.name}: the one that the caller is tagged with."
    both = f"Reads and writes of what belongs to one tenant in {table.name}: the one that the caller is tagged with."
    return (
        sized(Policy(f"{head}TenantReadOnly", read, statements(table, reads, place, keys), notes)),
        sized(Policy(f"{head}TenantReadWrite", both, statements(table, [*reads, *writes], place, keys), notes)),
    )


def _problems(permissions: list[Permission], field: str) -> Iterator[str]:
    for each in permissions:
        if tenant_pattern(each.placement, field, "") is not None:
            continue
        entity, key = each.entity, " + ".join(str(part) for part in each.placement.partition)
        what = f"{entity.label} in {each.index.spoken}"
        if each.placement in entity.uniques:
            names = ", ".join(sorted(each.placement.fields))
            yield f"{entity.label}: what keeps {names} unique lies in {key!r}, where all tenants' values meet"
        elif field not in entity.fields:
            yield f"{what}: it has no field {field!r}"
        else:
            yield f"{what}: {key!r} does not begin with {{{field}}} in a segment of its own"


def _notes(table: ExportedTable, field: str, tag: str) -> Iterator[str]:
    delimiter = table.design.settings.delimiter
    yield f"The tag {tag} of the role or session holds {field} as the keys write it."
    if delimiter in _TAG_MARKS:
        yield f"A tag may hold {delimiter!r}, which ends a segment of a key: give no tenant a {field} with it."
