"""The sort key of a recipe is a literal."""

from dataclasses import dataclass

from singletable import Table, entity, get, pattern


@entity(key=("RECIPE#{id}", "RECIPE"), expected_per_partition=1)
@dataclass
class Recipe:
    id: str
    title: str


class Kitchen(Table, entities=[Recipe]):
    @pattern()
    def recipe(self, id: str) -> Recipe | None:
        """Get a recipe."""
        return get(Recipe)
