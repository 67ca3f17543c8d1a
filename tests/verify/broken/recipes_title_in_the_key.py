"""The sort key of a recipe is its title."""

from dataclasses import dataclass

from singletable import Table, entity, get, pattern


@entity(key=("RECIPE#{id}", "TITLE#{title}"), expected_per_partition=1)
@dataclass
class Recipe:
    id: str
    title: str


class Kitchen(Table, entities=[Recipe]):
    @pattern()
    def recipe(self, id: str, title: str) -> Recipe | None:
        """Get a recipe."""
        return get(Recipe)
