"""Actions by the names under which clients ask for them, with the shapes of their requests."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from singletable.engine.actions.batch_execute_statement import batch_execute_statement
from singletable.engine.actions.batch_get_item import batch_get_item
from singletable.engine.actions.batch_write_item import batch_write_item
from singletable.engine.actions.create_backup import create_backup
from singletable.engine.actions.create_table import create_table
from singletable.engine.actions.delete_backup import delete_backup
from singletable.engine.actions.delete_item import delete_item
from singletable.engine.actions.delete_resource_policy import delete_resource_policy
from singletable.engine.actions.delete_table import delete_table
from singletable.engine.actions.describe_backup import describe_backup
from singletable.engine.actions.describe_continuous_backups import describe_continuous_backups
from singletable.engine.actions.describe_contributor_insights import describe_contributor_insights
from singletable.engine.actions.describe_endpoints import describe_endpoints
from singletable.engine.actions.describe_export import describe_export
from singletable.engine.actions.describe_global_table import describe_global_table
from singletable.engine.actions.describe_global_table_settings import describe_global_table_settings
from singletable.engine.actions.describe_import import describe_import
from singletable.engine.actions.describe_kinesis_streaming_destination import describe_kinesis_streaming_destination
from singletable.engine.actions.describe_limits import describe_limits
from singletable.engine.actions.describe_stream import describe_stream
from singletable.engine.actions.describe_table import describe_table
from singletable.engine.actions.describe_table_replica_auto_scaling import describe_table_replica_auto_scaling
from singletable.engine.actions.describe_time_to_live import describe_time_to_live
from singletable.engine.actions.execute_statement import execute_statement
from singletable.engine.actions.execute_transaction import execute_transaction
from singletable.engine.actions.export_table_to_point_in_time import export_table_to_point_in_time
from singletable.engine.actions.get_item import get_item
from singletable.engine.actions.get_records import get_records
from singletable.engine.actions.get_resource_policy import get_resource_policy
from singletable.engine.actions.get_shard_iterator import get_shard_iterator
from singletable.engine.actions.import_table import import_table
from singletable.engine.actions.list_backups import list_backups
from singletable.engine.actions.list_contributor_insights import list_contributor_insights
from singletable.engine.actions.list_exports import list_exports
from singletable.engine.actions.list_global_tables import list_global_tables
from singletable.engine.actions.list_imports import list_imports
from singletable.engine.actions.list_streams import list_streams
from singletable.engine.actions.list_tables import list_tables
from singletable.engine.actions.list_tags_of_resource import list_tags_of_resource
from singletable.engine.actions.most_accessed_keys import most_accessed_keys
from singletable.engine.actions.not_served import NOT_SERVED, refusing
from singletable.engine.actions.put_item import put_item
from singletable.engine.actions.put_resource_policy import put_resource_policy
from singletable.engine.actions.query import query
from singletable.engine.actions.restore_table_from_backup import restore_table_from_backup
from singletable.engine.actions.restore_table_to_point_in_time import restore_table_to_point_in_time
from singletable.engine.actions.scan import scan
from singletable.engine.actions.tag_resource import tag_resource
from singletable.engine.actions.transact_get_items import transact_get_items
from singletable.engine.actions.transact_write_items import transact_write_items
from singletable.engine.actions.untag_resource import untag_resource
from singletable.engine.actions.update_continuous_backups import update_continuous_backups
from singletable.engine.actions.update_contributor_insights import update_contributor_insights
from singletable.engine.actions.update_item import update_item
from singletable.engine.actions.update_table import update_table
from singletable.engine.actions.update_time_to_live import update_time_to_live
from singletable.wire import (
    backups,
    batches,
    insights,
    items,
    pages,
    resources,
    statements,
    streams,
    surroundings,
    tables,
    time_to_live,
    transactions,
    transfers,
)
from singletable.wire.shape import Result, Shape

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


class Action(NamedTuple):
    """One action: the shape of its requests, what it does, and whether it writes.

    `joins` says that its writes may be committed with those of other requests. What changes a table does not join:
    threads that look after tables have to see the change when they are told of it.
    """

    shape: type[Shape]
    decode: Callable[[bytes], Any]
    run: Callable[[Engine, Any], Result]
    writes: bool
    joins: bool


def _action(
    shape: type[Shape], run: Callable[[Engine, Any], Result], *, writes: bool = False, joins: bool = False
) -> Action:
    return Action(shape, msgspec.json.Decoder(shape).decode, run, writes, joins or not writes)


ACTIONS = {
    f"DynamoDB_20120810.{action.shape.__name__}": action
    for action in (
        _action(tables.CreateTable, create_table, writes=True),
        _action(tables.DescribeTable, describe_table),
        _action(tables.UpdateTable, update_table, writes=True),
        _action(tables.DeleteTable, delete_table, writes=True),
        _action(tables.ListTables, list_tables),
        _action(items.PutItem, put_item, writes=True, joins=True),
        _action(items.GetItem, get_item),
        _action(items.UpdateItem, update_item, writes=True, joins=True),
        _action(items.DeleteItem, delete_item, writes=True, joins=True),
        _action(pages.Query, query),
        _action(pages.Scan, scan),
        _action(batches.BatchGetItem, batch_get_item),
        _action(batches.BatchWriteItem, batch_write_item, writes=True, joins=True),
        _action(transactions.TransactGetItems, transact_get_items),
        _action(transactions.TransactWriteItems, transact_write_items, writes=True, joins=True),
        _action(resources.TagResource, tag_resource, writes=True),
        _action(resources.UntagResource, untag_resource, writes=True),
        _action(resources.ListTagsOfResource, list_tags_of_resource),
        _action(resources.PutResourcePolicy, put_resource_policy, writes=True),
        _action(resources.GetResourcePolicy, get_resource_policy),
        _action(resources.DeleteResourcePolicy, delete_resource_policy, writes=True),
        _action(surroundings.DescribeLimits, describe_limits),
        _action(surroundings.DescribeEndpoints, describe_endpoints),
        _action(surroundings.DescribeKinesisStreamingDestination, describe_kinesis_streaming_destination),
        _action(surroundings.DescribeTableReplicaAutoScaling, describe_table_replica_auto_scaling),
        _action(surroundings.DescribeGlobalTable, describe_global_table),
        _action(surroundings.DescribeGlobalTableSettings, describe_global_table_settings),
        _action(surroundings.ListGlobalTables, list_global_tables),
        _action(insights.UpdateContributorInsights, update_contributor_insights, writes=True),
        _action(insights.DescribeContributorInsights, describe_contributor_insights),
        _action(insights.ListContributorInsights, list_contributor_insights),
        _action(time_to_live.UpdateTimeToLive, update_time_to_live, writes=True),
        _action(time_to_live.DescribeTimeToLive, describe_time_to_live),
        _action(statements.ExecuteStatement, execute_statement, writes=True, joins=True),
        _action(statements.BatchExecuteStatement, batch_execute_statement, writes=True, joins=True),
        _action(statements.ExecuteTransaction, execute_transaction, writes=True, joins=True),
        _action(backups.CreateBackup, create_backup, writes=True),
        _action(backups.DescribeBackup, describe_backup),
        _action(backups.ListBackups, list_backups),
        _action(backups.DeleteBackup, delete_backup, writes=True),
        _action(backups.RestoreTableFromBackup, restore_table_from_backup, writes=True),
        _action(backups.DescribeContinuousBackups, describe_continuous_backups),
        _action(backups.UpdateContinuousBackups, update_continuous_backups, writes=True),
        _action(backups.RestoreTableToPointInTime, restore_table_to_point_in_time, writes=True),
        _action(transfers.ExportTableToPointInTime, export_table_to_point_in_time, writes=True),
        _action(transfers.DescribeExport, describe_export),
        _action(transfers.ListExports, list_exports),
        _action(transfers.ImportTable, import_table, writes=True),
        _action(transfers.DescribeImport, describe_import),
        _action(transfers.ListImports, list_imports),
    )
}
# A service of its own by name, at the same address.
ACTIONS.update(
    {
        f"DynamoDBStreams_20120810.{action.shape.__name__}": action
        for action in (
            _action(streams.ListStreams, list_streams),
            _action(streams.DescribeStream, describe_stream),
            _action(streams.GetShardIterator, get_shard_iterator),
            _action(streams.GetRecords, get_records),
        )
    }
)
# The one question that is not DynamoDB's, under a name that is not either.
ACTIONS["Singletable.MostAccessedKeys"] = _action(insights.MostAccessedKeys, most_accessed_keys)
ACTIONS.update(
    {
        f"DynamoDB_20120810.{name}": _action(surroundings.UnservedAction, refusing(name))
        for name in NOT_SERVED
        if f"DynamoDB_20120810.{name}" not in ACTIONS
    }
)
