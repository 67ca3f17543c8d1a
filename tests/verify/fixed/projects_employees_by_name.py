"""Both keys contain the id of the employee."""

from dataclasses import dataclass

from singletable import Page, Table, entity, get, pattern, query


@entity(key=("ORG#{org_id}", "EMP#{employee_id}"), expected_per_partition=100)
@dataclass
class Employee:
    org_id: str
    employee_id: str
    name: str


@entity(key=("PRO#{project_id}", "EMP#{employee_id}"), expected_per_partition=10)
@dataclass
class Assignment:
    project_id: str
    employee_id: str
    employee_name: str


class Projects(Table, entities=[Employee, Assignment]):
    @pattern()
    def employee(self, org_id: str, employee_id: str) -> Employee | None:
        """Get an employee."""
        return get(Employee)

    @pattern()
    def assignments(self, project_id: str, *, limit: int = 10, cursor: str | None = None) -> Page[Assignment]:
        """Assignments of a project."""
        return query(Assignment)
