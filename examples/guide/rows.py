"""The rows of the guide's table: users with addresses and orders, groups, events, an organisation, and shops."""

from datetime import UTC, date, datetime
from decimal import Decimal

from pydantic import BaseModel

from .model import Address, Event, Membership, Node, Order, Shop, Station, User


def moment(text: str) -> datetime:
    """Parse a time in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def order(user_id: str, number: int, day: str, total: int, status: str) -> Order:
    """Return an order, which is open from the day it was placed until it is shipped."""
    placed_on = date.fromisoformat(day)
    open_since = placed_on if status == "OPEN" else None
    return Order(
        user_id=user_id,
        id=f"o_{number}",
        placed_on=placed_on,
        total=Decimal(total),
        status=status,
        open_since=open_since,
    )


USERS: list[BaseModel] = [
    User(id="u_001", name="Alice", email="alice@example.com", created_at=moment("2025-11-02T08:00:00")),
    Address(user_id="u_001", label="home", line1="4-2-8 Shibakoen", city="Tokyo", zip="105-0011"),
    Address(user_id="u_001", label="work", line1="1-9-1 Marunouchi", city="Tokyo", zip="100-0005"),
    order("u_001", 777, "2026-04-26", 42, "OPEN"),
    order("u_001", 776, "2026-04-25", 18, "SHIPPED"),
    User(id="u_002", name="Bob", email="bob@example.com", created_at=moment("2026-01-10T12:30:00")),
    order("u_002", 700, "2026-02-11", 9, "SHIPPED"),
    order("u_002", 712, "2026-03-05", 120, "SHIPPED"),
    order("u_002", 731, "2026-04-01", 35, "OPEN"),
    order("u_002", 750, "2026-04-14", 64, "SHIPPED"),
    order("u_002", 772, "2026-04-24", 5, "OPEN"),
]
GROUPS: list[BaseModel] = [
    Membership(user_id="u_001", group_id="g_42", joined_on=date(2026, 3, 1)),
    Membership(user_id="u_001", group_id="g_99", joined_on=date(2025, 12, 24)),
    Membership(user_id="u_002", group_id="g_42", joined_on=date(2026, 1, 15)),
    Membership(user_id="u_003", group_id="g_42", joined_on=date(2026, 2, 7)),
]
EVENTS: list[BaseModel] = [
    Event(device_id=device, id=f"e_{name}", at=moment(f"2026-04-{at}"), kind=kind, value=Decimal(value))
    for device, name, at, kind, value in [
        ("d_001", "abc", "26T10:15:00", "TEMP_HIGH", "81.5"),
        ("d_001", "abd", "26T10:14:55", "HEARTBEAT", "1"),
        ("d_001", "abe", "26T08:02:10", "TEMP_HIGH", "79.0"),
        ("d_001", "aaa", "25T23:59:59", "TEMP_HIGH", "78.2"),
        ("d_002", "bca", "26T09:40:31", "TEMP_HIGH", "90.1"),
        ("d_002", "bcb", "26T10:15:00", "HEARTBEAT", "1"),
        ("d_002", "bcc", "27T00:00:00", "TEMP_HIGH", "77.7"),
    ]
]
NODES: list[BaseModel] = [
    Node(org=org, path=tuple(path.split("/")), depth=path.count("/") + 1, name=name)
    for org, path, name in [
        ("root", "root", "Acme Inc."),
        ("root", "root/eng", "Engineering"),
        ("root", "root/eng/cloud", "Cloud Team"),
        ("root", "root/eng/cloud/aws", "AWS Squad"),
        ("root", "root/eng/web", "Web Team"),
        ("root", "root/engineering", "Engineering Academy"),
        ("root", "root/engineering/lab", "Academy Lab"),
        ("root", "root/sales", "Sales"),
        ("other", "root/eng/cloud", "Another tenant's Cloud Team"),
    ]
]
PLACES: list[BaseModel] = [
    # By their coordinates, these three are in the cells xn76gg, xn76gg and xn76gc.
    Shop(id="s_001", name="Tower Books", latitude=35.6586, longitude=139.7454),
    Shop(id="s_002", name="Tower Coffee", latitude=35.6595, longitude=139.7460),
    Shop(id="s_003", name="Mita Records", latitude=35.6500, longitude=139.7400),
    Shop(id="s_004", name="Hamamatsucho Tea", latitude=35.6555, longitude=139.7571),
    Shop(id="s_005", name="Roppongi Prints", latitude=35.6627, longitude=139.7313),
    # Taveuni, where the 180th meridian crosses an island.
    Shop(id="s_101", name="Meridian Store", latitude=-16.8000, longitude=179.9985),
    Shop(id="s_102", name="Date Line Diner", latitude=-16.8010, longitude=-179.9970),
    Shop(id="s_103", name="Waiyevo Market", latitude=-16.7950, longitude=179.9930),
    Shop(id="s_104", name="Bouma Falls Kiosk", latitude=-16.8260, longitude=-179.8720),
    # The poles, where all longitudes meet.
    Station(id="t_01", name="South Pole Station", latitude=-90.0, longitude=0.0),
    Station(id="t_02", name="Drill Camp East", latitude=-89.2, longitude=75.0),
    Station(id="t_03", name="Drill Camp West", latitude=-88.9, longitude=-120.0),
    Station(id="t_04", name="Plateau Depot", latitude=-84.5, longitude=170.0),
    Station(id="t_05", name="Ice Floe 30", latitude=89.6, longitude=30.0),
    Station(id="t_06", name="Ice Floe 41", latitude=89.1, longitude=-148.0),
    Station(id="t_07", name="Ny-Ålesund", latitude=78.925, longitude=11.925),
]
ROWS: list[BaseModel] = [*USERS, *GROUPS, *EVENTS, *NODES, *PLACES]
