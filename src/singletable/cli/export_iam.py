"""`singletable export iam MODEL`: the least that an application, an entity, a pattern or a tenant needs."""

from __future__ import annotations

import argparse
import json
import sys

from singletable.cli.export_file import add_file_options, write_export
from singletable.cli.load_model import load_tables
from singletable.errors import ExportRefused
from singletable.export.iam import SCOPES, Place, Policy, policies_of, to_iam
from singletable.export.table import ExportedTable, exported_table
from singletable.export.tenants import tenant_policies


def add_to(targets: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the target to the command."""
    parser = targets.add_parser("iam", help="policies by action and partition", description=__doc__)
    add_file_options(parser)
    parser.add_argument("--table-name", metavar="NAME", help="the table's name, where it is not the model's")
    scope = parser.add_mutually_exclusive_group()
    scope.add_argument("--by", choices=SCOPES, default=SCOPES[0], help="what each policy is for")
    scope.add_argument("--tenant", metavar="FIELD", help="policies for one tenant at a time, by this field")
    parser.add_argument("--principal-tag", metavar="KEY", help="the caller's tag that names the tenant; FIELD's name")
    parser.add_argument("--policy", metavar="NAME", help="the document of this policy alone, as IAM takes it")
    for name, default in (("partition", "aws"), ("region", "*"), ("account", "*")):
        parser.add_argument(f"--{name}", default=default, help=f"of the table's ARN; {default} unless given")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Export the policies of the model's tables."""
    models = load_tables(options.model)
    if options.table_name is not None and len(models) > 1:
        raise ExportRefused(f"--table-name names one table, and {options.model} holds several; pick one as MODEL:Table")
    tables = [exported_table(model.design, name=options.table_name) for model in models]
    policies = [policy for table in tables for policy in _policies(table, options)]
    if options.policy is None:
        return write_export(to_iam(policies), options)
    named = [policy for policy in policies if policy.name == options.policy]
    if not named:
        known = ", ".join(policy.name for policy in policies)
        raise ExportRefused(f"there is no policy {options.policy!r}; there are {known}")
    for note in named[0].notes:
        print(f"note: {note}", file=sys.stderr)
    return write_export(json.dumps(named[0].document, indent=2, ensure_ascii=False) + "\n", options)


def _policies(table: ExportedTable, options: argparse.Namespace) -> tuple[Policy, ...]:
    place = Place(options.partition, options.region, options.account)
    if options.tenant is None:
        if options.principal_tag is not None:
            raise ExportRefused("--principal-tag names a tenant's tag: give --tenant FIELD too")
        return policies_of(table, options.by, place)
    return tenant_policies(table, options.tenant, options.principal_tag or options.tenant, place)
