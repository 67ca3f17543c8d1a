"""Broken variants of the five example systems: each gives exactly the findings of the table below, and a way out."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from singletable.cli.load_model import load_tables
from singletable.cli.main import main
from singletable.planner.plan import Verdict
from singletable.verify.check import RULES, Report, check
from singletable.verify.finding import Finding

ROOT = Path(__file__).resolve().parents[2]
BROKEN = Path(__file__).parent / "broken"
FILES = sorted(path.stem for path in BROKEN.glob("*.py"))
EXAMPLES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "examples").rglob("*.py")
    if re.search(r"^class \w+\(\s*Table,", path.read_text(encoding="utf-8"), re.MULTILINE)
)


class Row(NamedTuple):
    """What a broken file must say: the severity, code and subject of a finding, and what its texts are known by."""

    file: str
    severity: str
    code: str
    subject: str
    message: str
    remedy: str
    accepted: str | None = None

    @property
    def found(self) -> tuple[str, str, str]:
        return self.severity, self.code, self.subject


ERROR, WARNING = "error", "warning"
SPREAD = "{shard} in the partition template"
APART = "sort keys whose prefixes keep them apart"
GOLDEN = [
    # ST001: every index leaves the partition open.
    Row(
        "commerce_orders_of_a_day_without_gsi1",
        ERROR,
        "ST001",
        "orders_placed",
        "partitioned by USER#{user_id}, and no parameter gives user_id",
        'Give Order gsi1=("ORDER", "{placed_at:seconds}#{id}").',
    ),
    Row(
        "shop_product_by_name",
        ERROR,
        "ST001",
        "product_called",
        "needs equality on name, which no index has",
        'Give Product gsi1=("PRODUCT#{name}", "PRODUCT").',
    ),
    Row(
        "guide_shops_near_without_cells_in_a_key",
        ERROR,
        "ST001",
        "shops_near",
        "needs an area of latitude and longitude, which no index has",
        "{cell} into the partition",
    ),
    # ST002: an index is near, and does not serve.
    Row(
        "commerce_orders_by_status_without_gsi2",
        ERROR,
        "ST002",
        "orders_in_status",
        "needs equality on status, which no index has",
        'Give Order gsi1=("USER#{user_id}#{status}", "{placed_at:seconds}#{id}").',
    ),
    Row(
        "papers_thin_index_without_the_status",
        ERROR,
        "ST002",
        "final_papers",
        "needs equality on status, which no index has",
        'Give Paper gsi2=("PAPER#{series}#{status}", "{id}").',
    ),
    Row(
        "commerce_payments_between_orders_and_profile",
        ERROR,
        "ST002",
        "user_with_recent_orders",
        "Payment can lie in the range, so a limit would count those items too",
        "Give Payment a sort key outside the range, or leave out limit=.",
    ),
    Row(
        "customers_limit_before_the_profile",
        ERROR,
        "ST002",
        "customer_with_first_orders",
        "Customer does not come before the list when the sort key is read ascending",
        "Give Customer a sort key that sorts before",
    ),
    Row(
        "shop_limit_over_two_lists",
        ERROR,
        "ST002",
        "contents",
        "a limit needs a shape with exactly one list",
        "read each list with a query of its own",
    ),
    Row(
        "papers_collection_across_partitions",
        ERROR,
        "ST002",
        "paper_with_author",
        "the members do not share a partition: Paper has PAPER#{id}, Author has AUTHOR#{handle}",
        "one partition template",
    ),
    Row(
        "guide_filter_on_a_native_key",
        ERROR,
        "ST002",
        "alarms",
        "filters on kind, a key attribute of GSI1: DynamoDB refuses that in a Query",
        "Make kind a parameter",
    ),
    Row(
        "guide_get_without_the_label",
        ERROR,
        "ST002",
        "address",
        "asks for one item, but the sort key",
        "or read a page with query(...)",
    ),
    Row(
        "guide_get_behind_the_day",
        ERROR,
        "ST002",
        "order",
        "only behind {placed_on}, and no parameter gives that",
        'Give Order gsi1=("USER#{user_id}#{id}", "ORDER").',
    ),
    Row(
        "guide_children_without_depth",
        ERROR,
        "ST002",
        "children",
        "needs the children of path",
        'derived={"level": depth("path")}',
    ),
    Row(
        "papers_sparse_index_read_as_if_whole",
        ERROR,
        "ST002",
        "papers_in_series",
        "GSI1 leaves out the items whose published is None",
        "where=lambda item: exists(item.published)",
    ),
    Row(
        "commerce_update_changes_the_key",
        ERROR,
        "ST002",
        "backdate",
        "changes placed_at, a part of the item's key",
        "delete it and create it anew",
    ),
    Row(
        "shop_put_without_every_field",
        ERROR,
        "ST002",
        "add_product",
        "no parameter gives price",
        "or the whole item as one of the entity's type",
    ),
    Row(
        "shop_delete_by_customer",
        ERROR,
        "ST002",
        "forget_orders",
        "no parameter gives id",
        "Add id as a parameter. A write takes the item's whole key: leave out customer_id",
    ),
    # ST003: more requests than the pattern declares.
    Row(
        "guide_sharded_events_without_fanout",
        ERROR,
        "ST003",
        "events_of_kind",
        "takes 10 Queries, 10 shards by hash of id",
        "@pattern(fanout=10), or take id as a parameter",
    ),
    Row(
        "guide_fanout_too_small",
        ERROR,
        "ST003",
        "events_of_kind",
        "takes 10 Queries, 10 shards by hash of id, and it declares 4",
        "@pattern(fanout=10)",
    ),
    Row(
        "shop_every_region_without_fanout",
        ERROR,
        "ST003",
        "customers",
        "takes 3 Queries, 3 values of region",
        "@pattern(fanout=3), or take region as a parameter",
    ),
    Row(
        "shop_months_without_fanout",
        ERROR,
        "ST003",
        "customers_since",
        "takes several Queries, one per month of the range of created_at",
        "Declare the most that a call may take: @pattern(fanout=",
    ),
    Row(
        "guide_cells_without_fanout",
        ERROR,
        "ST003",
        "shops_near",
        "takes several Queries, as many cells of precision 6 as the radius covers",
        "Declare the most that a call may take: @pattern(fanout=",
    ),
    Row(
        "papers_hydration_beyond_the_fanout",
        ERROR,
        "ST003",
        "papers_in_series",
        "takes 3 requests, a Query and a BatchGetItem for every 100 items, and it declares 2",
        "Declare it with @pattern(fanout=3).",
    ),
    Row(
        "commerce_status_update_without_the_total",
        ERROR,
        "ST003",
        "set_status",
        "the update changes GSI2SK, which also needs the old total: a read before the write",
        "where=lambda item: (item.total == total), or declare the second request with @pattern(fanout=2).",
    ),
    Row(
        "commerce_sum_in_an_index",
        ERROR,
        "ST003",
        "add_shipping",
        "the update changes GSI1SK, which also needs the old total: a read before the write",
        "Declare the second request with @pattern(fanout=2).",
    ),
    Row(
        "commerce_update_validated_whole",
        ERROR,
        "ST003",
        "set_delivery",
        "the update validates the whole item, a read before the write: Order has a model_validator (dates_in_order)",
        'fanout=2), turn the rule into one of a single field, or waive it with validate="fields".',
    ),
    # ST101: two entities under one key; the second one is where it was noticed.
    Row(
        "shop_order_and_invoice_alike",
        ERROR,
        "ST101",
        "Invoice",
        'Order and Invoice can both have PK "ACCT#1", SK "1"',
        'such as SK = "INVOICE#{month}"',
    ),
    Row(
        "papers_handle_beside_the_paper",
        ERROR,
        "ST101",
        "Membership",
        'Paper and Membership can both have PK "PAPER#1", SK "METADATA"',
        'such as SK = "MEMBERSHIP#{handle}"',
    ),
    Row(
        "papers_raw_handle_forges_a_paper",
        ERROR,
        "ST101",
        "Membership",
        'Paper and Membership can both have PK "PAPER#1", SK "PAPER#1"',
        'such as SK = "MEMBERSHIP#{handle:raw}"',
    ),
    # ST102: two items under one key.
    Row(
        "guide_events_of_one_second",
        ERROR,
        "ST102",
        "Event",
        'two items that differ only in id have the same key "DEVICE#{device_id}", "EVT#{at:seconds}"',
        "Put {id} into the key",
    ),
    Row(
        "shop_shard_as_identity",
        ERROR,
        "ST102",
        "Customer",
        "(a derived value does not count)",
        "Put {id} into the key",
    ),
    Row(
        "customers_one_key_for_all",
        ERROR,
        "ST102",
        "Plan",
        'every item has the same key "PLANS", "METADATA"',
        "for a single item say identity=()",
    ),
    # ST103: what is read in vain beside what was asked for.
    Row(
        "papers_translations_among_topics",
        WARNING,
        "ST103",
        "topics",
        "can also hold Translation; say expected_per_partition= on Topic and Translation",
        APART,
    ),
    Row(
        "papers_translations_counted",
        WARNING,
        "ST103",
        "topics",
        "can also hold Translation; reads 16 items for 4 wanted, 4.0 times as many",
        APART,
    ),
    Row("commerce_get_among_items", WARNING, "ST103", "order", "can also hold OrderItem", APART),
    Row("commerce_get_among_items", WARNING, "ST103", "items_as_added", "can also hold Order;", APART),
    # ST104: an order that is not that of the sort key.
    Row(
        "customers_newest_first_over_an_id",
        ERROR,
        "ST104",
        "orders_of_customer",
        "sorts by {id}, which is no date or datetime",
        'Give Order gsi1=("CUSTOMER#{customer_id}", "{placed_at}#{id}").',
    ),
    Row(
        "customers_newest_first_without_a_time",
        ERROR,
        "ST104",
        "orders_of_customer",
        "sorts by {id}, which is no date or datetime",
        "a date or datetime for newest first",
    ),
    Row(
        "shop_order_by_total",
        ERROR,
        "ST104",
        "largest_orders",
        "asks for the order of total",
        'Give Order gsi1=("CUST#{customer_id}", "{total}#{id}").',
    ),
    Row(
        "commerce_last_of_unpadded_lines",
        ERROR,
        "ST104",
        "latest_items",
        "asks for newest first",
        "a date or datetime for newest first",
    ),
    # ST105: text that does not sort as its values do.
    Row(
        "commerce_last_of_unpadded_lines",
        WARNING,
        "ST105",
        "OrderItem",
        '{line} in the table, SK = "ITEM#{line}"',
        "such as {line:06d}",
    ),
    Row(
        "commerce_unpadded_lines",
        WARNING,
        "ST105",
        "OrderItem",
        '{line} in the table, SK = "ITEM#{line}"',
        "such as {line:06d}",
    ),
    Row(
        "commerce_range_of_unpadded_lines",
        WARNING,
        "ST105",
        "OrderItem",
        '{line} in the table, SK = "ITEM#{line}"',
        "such as {line:06d}",
    ),
    Row(
        "commerce_range_of_unpadded_lines",
        ERROR,
        "ST105",
        "items_from",
        "10 sorts before 9 as text",
        'Give OrderItem gsi1=("ORDER#{order_id}", "{line:number}").',
    ),
    Row(
        "guide_day_first",
        WARNING,
        "ST105",
        "Order",
        "{placed_on:%d-%m-%Y}",
        "{placed_on:%Y-%m-%d} sorts by time",
    ),
    Row(
        "guide_day_first",
        ERROR,
        "ST105",
        "latest_orders",
        "%d-%m-%Y sorts by %d first, not by time",
        "{placed_on:%Y-%m-%d} sorts by time",
    ),
    Row(
        "guide_subtree_behind_a_pipe",
        WARNING,
        "ST105",
        "Node",
        '{path} in the table, SK = "PATH|{path}"',
        "only '#' keeps their order",
    ),
    Row(
        "guide_subtree_behind_a_pipe",
        ERROR,
        "ST105",
        "subtree",
        "no range behind the delimiter '|'",
        "with '#' they are one",
    ),
    # ST106: keys made of what may be missing.
    Row(
        "papers_optional_topic",
        ERROR,
        "ST106",
        "Paper",
        "topic may be None, and such items would be missing from GSI2",
        'gsi2=sparse("TOPIC#{topic}", "DATE#{published}#{id}")',
    ),
    Row(
        "papers_optional_in_the_table_key",
        ERROR,
        "ST106",
        "Paper",
        "version may be None, and an item without it has no key and cannot be stored",
        "Make the field required",
    ),
    Row(
        "papers_sparse_table_key",
        ERROR,
        "ST106",
        "Paper",
        "version may be None, and an item without it has no key and cannot be stored",
        "Make the field required",
    ),
    # ST107: raw text.
    Row(
        "customers_raw_name",
        WARNING,
        "ST107",
        "Customer",
        '{name:raw} in GSI1SK = "{name:raw}" is not escaped',
        'accept={"ST107": "..."}',
    ),
    # ST108: filters.
    Row(
        "guide_filter_in_vain",
        WARNING,
        "ST108",
        "node_with_children",
        "reads 60 items to keep 12: 80% in vain",
        "Put what it filters on into a key",
    ),
    Row(
        "guide_filter_uncounted",
        WARNING,
        "ST108",
        "node_with_children",
        "nobody says how much of it is kept",
        "expected_items= (kept) and expected_examined= (read)",
    ),
    # ST109: few partitions, often.
    Row(
        "shop_hot_customer_list",
        WARNING,
        "ST109",
        "customers_by_signup",
        "about 5000 read units a second, of 3000 that a partition gives",
        SPREAD,
    ),
    Row(
        "shop_hot_sign_up",
        WARNING,
        "ST109",
        "sign_up",
        "about 500 write units a second, of 1000 that a partition gives",
        SPREAD,
    ),
    Row(
        "customers_few_statuses",
        WARNING,
        "ST109",
        "orders_by_status",
        "reads 4 partitions of GSI1 only",
        SPREAD,
    ),
    Row(
        "customers_open_orders_read_often",
        WARNING,
        "ST109",
        "open_orders",
        "reads one partition of GSI1 only",
        SPREAD,
    ),
    Row(
        "guide_two_shards_are_too_few",
        WARNING,
        "ST109",
        "report",
        "about 2500 write units a second on each, of 1000 that a partition gives",
        SPREAD,
    ),
    # ST110: collections without an end.
    Row(
        "shop_unbounded_line_items",
        WARNING,
        "ST110",
        "whole_order",
        "reads every OrderItem of the partition, and nothing says how many there can be",
        "expected_per_partition=",
    ),
    Row(
        "shop_line_items_on_many_pages",
        WARNING,
        "ST110",
        "whole_order",
        "fills 5 pages of 1 MB, each one request",
        "page by page with query",
    ),
    # ST111: beyond DynamoDB's limits.
    Row(
        "customers_index_for_every_question",
        ERROR,
        "ST111",
        "Customers",
        "the table has 21 GSIs, and DynamoDB allows 20",
        "Overload one index",
    ),
    Row(
        "commerce_six_local_indexes",
        ERROR,
        "ST111",
        "Commerce",
        "the table has 6 LSIs, and DynamoDB allows 5",
        "Overload one index",
    ),
    Row(
        "guide_five_attributes_in_a_key",
        ERROR,
        "ST111",
        "Guide",
        "GSI1 has a key of more than 4 attributes",
        "Join attributes in one template",
    ),
    Row(
        "papers_full_text_in_the_item",
        ERROR,
        "ST111",
        "Paper",
        "an item has 512000 bytes, and DynamoDB takes at most 409600",
        "Keep the large part elsewhere",
    ),
    Row(
        "guide_device_beyond_ten_gigabytes",
        ERROR,
        "ST111",
        "Event",
        "a partition grows beyond 10 GB",
        "Use a global index instead",
    ),
    Row(
        "shop_index_with_a_short_name",
        ERROR,
        "ST111",
        "Shop",
        "'by' cannot be the name of a table or index",
        "Take 3 to 255 letters",
    ),
    Row(
        "shop_sort_key_too_wide",
        ERROR,
        "ST111",
        "OrderItem",
        "SK has at least 1025 bytes, and a sort key has at most 1024",
        "Shorten the template's text",
    ),
    Row(
        "papers_too_many_included",
        ERROR,
        "ST111",
        "Papers",
        "102 attributes are included in indexes, and DynamoDB allows 100",
        "Project ALL",
    ),
    # ST116: copies that their source does not find.
    Row(
        "papers_copies_without_a_way_back",
        ERROR,
        "ST116",
        "Membership",
        "it repeats title of Paper, but cannot be found by paper_id",
        "Give Membership a key or an index whose partition is made of paper_id.",
    ),
    # ST117: copies that no transaction holds.
    Row(
        "papers_copies_beyond_a_transaction",
        ERROR,
        "ST117",
        "Author",
        "60 Paper and 40 Review are expected to repeat name of one Author",
        "copy(..., in_parts=True)",
    ),
    # ST112: keys that nobody reads.
    Row("shop_unused_index", WARNING, "ST112", "Shop", "GSI1 is read by no pattern", "Take it out"),
    Row(
        "shop_unused_keys_of_one_entity",
        WARNING,
        "ST112",
        "Product",
        "its keys in GSI1 are read by no pattern, and every write of it pays for them",
        "Take gsi1= out",
    ),
    # ST113 to ST115.
    Row(
        "customers_without_a_type",
        WARNING,
        "ST113",
        "Customers",
        "the items of Customers carry no entity type",
        'Set type_attribute="entity_type"',
    ),
    Row(
        "shop_strong_read_of_gsi1",
        ERROR,
        "ST114",
        "orders_of_customer",
        "GSI1 is a global index, which is read eventually consistent only",
        "Leave out consistent=True",
    ),
    Row(
        "papers_thin_index_without_a_view",
        ERROR,
        "ST115",
        "papers_in_series",
        "GSI1 (KEYS_ONLY) does not hold title",
        'include("title"), read a smaller class with view=, or say hydrate=True',
    ),
    Row(
        "papers_filter_on_what_is_not_projected",
        ERROR,
        "ST115",
        "final_papers",
        "GSI1 (INCLUDE title) does not hold status",
        'include("title", "status")',
    ),
    # ST118: a pattern that stores what its class might reject; it accepts that itself.
    Row(
        "commerce_update_waives_a_rule",
        WARNING,
        "ST118",
        "set_delivery",
        "can store an item that breaks a rule of its class: Order has a model_validator (dates_in_order)",
        "declare the read before the write with @pattern(fanout=2).",
        accepted='validate="fields"',
    ),
]


class Mending(NamedTuple):
    """An edit of a broken file that does what its remedy says; `says` is the part of the remedy that it follows."""

    file: str
    says: str
    old: str
    new: str


MENDINGS = [
    Mending("papers_optional_topic", "gsi2=sparse(", "gsi2=(", "gsi2=sparse("),
    Mending("papers_optional_in_the_table_key", "field required", "version: str | None = None", "version: str"),
    Mending(
        "shop_order_and_invoice_alike", 'SK = "INVOICE#{month}"', '"{month}"))\nclass I', '"INVOICE#{month}"))\nclass I'
    ),
    Mending("papers_handle_beside_the_paper", '"MEMBERSHIP#{handle}"', '"{handle}"', '"MEMBERSHIP#{handle}"'),
    Mending(
        "papers_raw_handle_forges_a_paper", '"MEMBERSHIP#{handle:raw}"', '"{handle:raw}"', '"MEMBERSHIP#{handle:raw}"'
    ),
    Mending("guide_events_of_one_second", "Put {id} into the key", "{at:seconds}", "{at:seconds}#{id}"),
    Mending("shop_shard_as_identity", "Put {id} into the key", '"METADATA"', '"{id}"'),
    Mending("customers_one_key_for_all", "identity=()", '"METADATA")', '"METADATA"), identity=()'),
    Mending("guide_day_first", "{placed_on:%Y-%m-%d}", "{placed_on:%d-%m-%Y}", "{placed_on:%Y-%m-%d}"),
    Mending("commerce_range_of_unpadded_lines", "{line:number}", "{line}", "{line:number}"),
    Mending("guide_subtree_behind_a_pipe", "'#'", "|", "#"),
    Mending("shop_strong_read_of_gsi1", "Leave out consistent=True", ", consistent=True", ""),
    Mending("papers_thin_index_without_a_view", "hydrate=True", "newest_first=True", "newest_first=True, hydrate=True"),
    Mending(
        "papers_thin_index_without_a_view", 'include("title")', "projection=KEYS_ONLY", 'projection=include("title")'
    ),
    Mending("papers_filter_on_what_is_not_projected", '"status")', 'include("title")', 'include("title", "status")'),
    Mending("guide_sharded_events_without_fanout", "fanout=10", 'frequency="low"', "fanout=10"),
    Mending("guide_fanout_too_small", "fanout=10", "fanout=4", "fanout=10"),
    Mending("shop_months_without_fanout", "fanout=12", 'frequency="medium"', "fanout=12"),
    Mending("guide_cells_without_fanout", "fanout=12", "@pattern()", "@pattern(fanout=12)"),
    Mending("papers_hydration_beyond_the_fanout", "fanout=3", "fanout=2", "fanout=3"),
    Mending("commerce_sum_in_an_index", "fanout=2", "rate=5", "rate=5, fanout=2"),
    Mending("commerce_update_validated_whole", "fanout=2", "rate=5", "rate=5, fanout=2"),
    Mending(
        "commerce_update_validated_whole",
        'validate="fields"',
        ".set(delivered_on))",
        '.set(delivered_on), validate="fields")',
    ),
    Mending(
        "commerce_status_update_without_the_total",
        "where=lambda item: (item.total == total)",
        """status: str) -> Order:
        \"\"\"Move an order to another status.\"\"\"
        return update(Order, field(Order, lambda order: order.status).set(status))""",
        """status: str, total: Decimal) -> Order:
        \"\"\"Move an order to another status.\"\"\"
        status_change = field(Order, lambda order: order.status).set(status)
        return update(Order, status_change, where=lambda item: (item.total == total))""",
    ),
    Mending("shop_limit_over_two_lists", "Leave out limit=", ", limit=10", ""),
    Mending("commerce_payments_between_orders_and_profile", "a sort key outside the range", '"PAYMENT#', '"BILL#'),
    Mending("customers_limit_before_the_profile", "a sort key that sorts before", '"PROFILE"', '"ABOUT"'),
    Mending("guide_get_without_the_label", "Add label", "user_id: str) ->", "user_id: str, label: str) ->"),
    Mending(
        "shop_put_without_every_field",
        "the whole item as one of the entity's type",
        "sku: str, name: str)",
        "product: Product)",
    ),
    Mending(
        "shop_delete_by_customer", "Add id as a parameter", "forget_orders(self, customer_id", "forget_orders(self, id"
    ),
    Mending(
        "guide_children_without_depth",
        'derived={"level": depth("path")}',
        '"PATH#{path}"))',
        '"PATH#{path}"), gsi1=("ORG#{org}#{level}", "{path}"), derived={"level": depth("path")})',
    ),
    Mending("guide_shops_near_without_cells_in_a_key", "{cell}", '"META"),', '"META"), gsi1=("GEO#{cell}", "{id}"),'),
    Mending(
        "papers_sparse_index_read_as_if_whole",
        "where=lambda item: exists(item.published)",
        "newest_first=True",
        "newest_first=True, where=lambda item: exists(item.published)",
    ),
]
PROPOSED = re.compile(r'Give (?P<entity>\w+) (?P<keys>\w+=\("[^"]+", "[^"]+"\))\.')


@pytest.fixture(autouse=True)
def _imports_left_as_they_were(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(sys, "path", [*sys.path])
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name in FILES or name == "mended":
            del sys.modules[name]


@cache
def report_of(file: str) -> Report:
    (table,) = load_tables(str(BROKEN / f"{file}.py"))
    return check(table.design)


def open_findings(file: str) -> list[Finding]:
    return [finding for finding in report_of(file).findings if finding.accepted is None]


def the_finding(row: Row) -> Finding:
    findings = [finding for finding in report_of(row.file).findings if finding.accepted == row.accepted]
    found = [finding for finding in findings if (finding.code, finding.subject) == (row.code, row.subject)]
    assert len(found) == 1, [str(finding) for finding in findings]
    return found[0]


def line_of(path: Path, subject: str) -> int:
    """The line of a pattern's `def`, an entity's decorator or a table's `class`, as Python's own parser has it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef) and node.name == subject:
            return node.lineno
        if isinstance(node, ast.ClassDef) and node.name == subject:
            declared = [each for each in node.decorator_list if ast.unparse(each).startswith("entity(")]
            return declared[0].lineno if declared else node.lineno
    raise AssertionError(f"{subject} is not in {path}")


def row_name(row: Row) -> str:
    return f"{row.file}-{row.code}-{row.subject}"


@pytest.mark.parametrize("row", GOLDEN, ids=row_name)
def test_a_finding_says_what_is_wrong_and_what_to_do(row: Row) -> None:
    finding = the_finding(row)
    assert finding.severity == row.severity
    assert row.message in finding.message
    assert row.remedy in finding.remedy


@pytest.mark.parametrize("row", GOLDEN, ids=row_name)
def test_a_finding_stands_at_the_line_of_what_it_is_about(row: Row) -> None:
    path = BROKEN / f"{row.file}.py"
    location = the_finding(row).location
    assert (Path(location.file), location.line) == (path, line_of(path, row.subject))


@pytest.mark.parametrize("file", FILES)
def test_a_broken_file_gives_the_findings_of_the_table_and_no_other(file: str) -> None:
    found = sorted((finding.severity, finding.code, finding.subject) for finding in open_findings(file))
    assert found == sorted(row.found for row in GOLDEN if row.file == file and row.accepted is None)


@pytest.mark.parametrize("file", FILES)
def test_check_fails_for_errors_and_not_for_warnings(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    fails = any(row.severity == ERROR for row in GOLDEN if row.file == file)
    assert main(["check", str(BROKEN / f"{file}.py")]) == (1 if fails else 0)
    printed = capsys.readouterr()
    assert printed.err == ""
    for finding in open_findings(file):
        assert f"{finding.severity}: {finding.code} {finding.rule.title}: {finding.message}\n" in printed.out
        assert f"{Path(finding.location.file).name}:{finding.location.line}\n" in printed.out


@pytest.mark.parametrize("file", FILES)
def test_a_pattern_that_is_not_served_as_declared_has_one_error_that_says_so(file: str) -> None:
    report = report_of(file)
    bad = [o.pattern.name for o in report.outcomes if o.verdict in (Verdict.REFUSED, Verdict.UNDECLARED_FANOUT)]
    failing = [finding.subject for finding in report.findings if finding.fails]
    assert [failing.count(name) for name in bad] == [1 for _ in bad]


@pytest.mark.parametrize("file", FILES)
def test_texts_are_whole_sentences_about_the_users_own_words(file: str) -> None:
    for finding in open_findings(file):
        texts = (finding.message, finding.remedy, *finding.details)
        assert finding.remedy.endswith((".", ")."))
        assert finding.remedy[0].isupper() or finding.remedy[0] in "%{1"
        for text in texts:
            assert not re.search(r"  |, ,|\{field\b|\bNone Quer|take +as a", text), text


@pytest.mark.parametrize("row", [row for row in GOLDEN if PROPOSED.search(row.remedy)], ids=row_name)
def test_proposed_keys_end_the_finding(row: Row, tmp_path: Path) -> None:
    proposed = PROPOSED.search(the_finding(row).remedy)
    assert proposed is not None
    path = BROKEN / f"{row.file}.py"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    line = line_of(path, proposed["entity"]) - 1
    lines[line] = lines[line].replace("@entity(", f"@entity({proposed['keys']}, ")
    assert_mended(tmp_path, "".join(lines))


@pytest.mark.parametrize("mending", MENDINGS, ids=lambda mending: f"{mending.file}-{mending.says}")
def test_doing_what_a_remedy_says_ends_the_finding(mending: Mending, tmp_path: Path) -> None:
    assert any(mending.says in finding.remedy for finding in open_findings(mending.file))
    source = (BROKEN / f"{mending.file}.py").read_text(encoding="utf-8")
    assert mending.old in source
    imports = "from singletable import depth, exists, include, sparse\n"
    head, docstring_end, body = source.partition('"""\n')
    assert_mended(tmp_path, head + docstring_end + imports + body.replace(mending.old, mending.new))


def assert_mended(folder: Path, source: str) -> None:
    path = folder / "mended.py"
    path.write_text(source, encoding="utf-8")
    (table,) = load_tables(str(path))
    assert [str(finding) for finding in check(table.design).findings if finding.fails] == []


def test_every_rule_is_broken_by_some_file() -> None:
    codes = {rule.RULE.code for rule in RULES}
    assert len(codes) == len(RULES)
    assert codes == {row.code for row in GOLDEN}


def test_every_broken_file_is_in_the_table() -> None:
    assert {row.file for row in GOLDEN} == set(FILES)


@pytest.mark.parametrize("file", FILES)
def test_a_broken_file_opens_with_one_sentence_that_says_what_is_broken(file: str) -> None:
    docstring = ast.get_docstring(ast.parse((BROKEN / f"{file}.py").read_text(encoding="utf-8")))
    assert docstring is not None
    assert re.fullmatch(r"[^.\n]+(\.\d+[^.\n]*)?\.", docstring)


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_has_no_error(example: str) -> None:
    for table in load_tables(str(ROOT / example)):
        report = check(table.design)
        assert [str(finding) for finding in report.findings if finding.fails] == []
        assert report.passes
