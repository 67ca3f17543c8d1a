"""Five modelling patterns in one table, time series by shard and day, and the essentials of a production system."""

TOUR = (
    # one-to-many, and a sparse index
    "profile",
    "addresses",
    "latest_orders",
    "recent_orders",
    "open_orders",
    "whole_user",
    # many-to-many
    "groups_of_user",
    "users_in_group",
    "members_by_join_date",
    "users_by_inverse_index",
    # time series
    "latest_events",
    "events_of_kind",
    "report_event",
    "events_from_shards",
    "device_by_day",
    "events_from_days",
    "expired_events",
    # tree
    "subtree",
    "children",
    "node_with_children",
    "breadcrumbs",
    "move_subtree",
    # geo
    "shops_near",
    "shops_across_the_date_line",
    "stations_near_the_pole",
    "shops_on_map",
    "nearest_shops",
    "near_awaited",
    # production
    "pages",
    "empty_pages",
    "insert_once",
    "two_writers",
    "transfer",
    "consistency",
)
"""The scripts, in reading order."""

ASIDE = ("expiry_in_stream", "batch_retry", "worksheet", "open_tasks", "project_page")
"""Scripts outside the tour: they have their own table or engine, or need none."""
