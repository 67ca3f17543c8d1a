"""`singletable export iam MODEL`: export least-privilege policies for an application, entity, pattern or tenant."""

from __future__ import annotations

import argparse
import json
import sys

from singletable.cli.export_options import add_file_options, write_export
from singletable.cli.load_model import load_tables
from singletable.errors import ExportRefused
from singletable.export.exported_table import ExportedTable, exported_table
from singletable.export.iam_policies import (
    SCOPES,
    AwsScope,
    Policy,
    allow_shadow_reads,
    policies_of,
    tenant_policies,
    to_iam,
)


def add_to(targets: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the target to the command."""
    parser = targets.add_parser("iam", help="least-privilege IAM policies", description=__doc__)
    add_file_options(parser)
    parser.add_argument("--table-name", metavar="NAME", help="the table name (default: the name in the model)")
    scope = parser.add_mutually_exclusive_group()
    scope.add_argument("--by", choices=SCOPES, default=SCOPES[0], help="one policy per application, entity or pattern")
    scope.add_argument("--tenant", metavar="FIELD", help="restrict each caller to the tenant in this field")
    parser.add_argument(
        "--principal-tag", metavar="KEY", help="the tag of the principal that contains the tenant (default: FIELD)"
    )
    parser.add_argument(
        "--shadow-reads", action="store_true", help="also allow the modes and statistics of shadow reads"
    )
    parser.add_argument("--policy", metavar="NAME", help="print only the document of this policy")
    for name, default in (("partition", "aws"), ("region", "*"), ("account", "*")):
        parser.add_argument(f"--{name}", default=default, help=f"{name} in the table ARN (default: {default})")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Export the policies of the model's tables."""
    models = load_tables(options.model)
    if options.table_name is not None and len(models) > 1:
        raise ExportRefused(
            f"--table-name applies to one table, but {options.model} contains several; select one with MODEL:Table"
        )
    tables = [exported_table(model.design, name=options.table_name) for model in models]
    policies = [policy for table in tables for policy in _policies(table, options)]
    if options.policy is None:
        return write_export(to_iam(policies), options)
    named = [policy for policy in policies if policy.name == options.policy]
    if not named:
        known = ", ".join(policy.name for policy in policies)
        raise ExportRefused(f"there is no policy {options.policy!r}; the policies are {known}")
    for note in named[0].notes:
        print(f"note: {note}", file=sys.stderr)
    return write_export(json.dumps(named[0].document, indent=2, ensure_ascii=False) + "\n", options)


def _policies(table: ExportedTable, options: argparse.Namespace) -> tuple[Policy, ...]:
    place = AwsScope(options.partition, options.region, options.account)
    if options.tenant is None:
        if options.principal_tag is not None:
            raise ExportRefused("--principal-tag needs --tenant FIELD")
        policies = policies_of(table, options.by, place)
    else:
        policies = tenant_policies(table, options.tenant, options.principal_tag or options.tenant, place)
    if not options.shadow_reads:
        return policies
    return tuple(allow_shadow_reads(each, table, place) for each in policies)
