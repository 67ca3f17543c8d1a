"""Designs with a complete and a KEYS_ONLY inverse index, to compare plans with brute force."""

from __future__ import annotations

from dataclasses import dataclass

from singletable import KEYS_ONLY, Page, Since, Table, collection, entity, get, inverse, pattern, query


@entity(key=("USER#{id}", "USER"))
@dataclass(frozen=True)
class User:
    id: str
    name: str


@entity(key=("TEAM#{id}", "TEAM#{id}"))
@dataclass(frozen=True)
class Team:
    id: str
    name: str


@entity(key=("USER#{user}", "TEAM#{team}"), identity=("user", "team"), expected_per_partition={"key": 3})
@dataclass(frozen=True)
class Membership:
    user: str
    team: str
    role: str


@dataclass(frozen=True)
class Edge:
    user: str
    team: str


@dataclass(frozen=True)
class Roster:
    team: Team
    members: list[Membership]


class Edges(Table, entities=[User, Team, Membership], indexes=[inverse("gsi1")]):
    """Memberships from both sides."""

    @pattern()
    def membership(self, user: str, team: str) -> Membership | None:
        return get(Membership)

    @pattern()
    def teams_of(self, user: str) -> Page[Membership]:
        return query(Membership)

    @pattern()
    def members_of(self, team: str) -> Page[Membership]:
        return query(Membership)

    @pattern()
    def members_from(self, team: str, user: Since[str]) -> Page[Membership]:
        return query(Membership)

    @pattern()
    def all_users(self) -> Page[User]:
        return query(User)


class ThinEdges(Table, entities=[Team, Membership], indexes=[inverse("by_team", name="byTeam", projection=KEYS_ONLY)]):
    """The same index, of which only the keys are kept: an edge is made of nothing else."""

    @pattern()
    def members_of(self, team: str) -> Page[Edge]:
        return query(Membership, view=Edge)


class Rosters(Table, entities=[User, Team, Membership], indexes=[inverse("gsi1")]):
    """A team and its members lie together in the inverse index."""

    @pattern()
    def roster(self, team: str) -> Roster | None:
        return collection(Roster)
