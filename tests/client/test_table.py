"""Tables: the class body keeps every pattern, and reports all problems with file and line."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest

from singletable.client.pattern import pattern
from singletable.client.table import Table
from singletable.client.table_metaclass import RESERVED, TableMeta
from singletable.errors import DesignError, Location
from singletable.model.entity import entity
from singletable.model.intents import Page, get, put, query
from singletable.model.pattern_declaration import PatternOptions, declare_pattern
from singletable.model.table_schema import GSI, KEYS_ONLY
from tests.model.marked_lines import marked


@entity(key=("CUST#{id}", "METADATA"), gsi1=("CUSTOMER", "{created_at:seconds}"))
@dataclass
class Customer:
    id: str
    name: str
    created_at: datetime


@entity(key=("ORDER#{id}", "METADATA"))
@dataclass
class Order:
    id: str
    customer_id: str


class Shop(Table, entities=[Customer, Order]):  # shop
    """A shop."""

    @pattern(frequency="high")
    def customer(self, id: str) -> Customer | None:
        """Get customer by ID."""
        return get(Customer)

    @pattern()
    def newest(self, *, limit: int = 20) -> Page[Customer]:
        """The newest customers."""
        return query(Customer, newest_first=True)


def problem_of(error: DesignError) -> tuple[str, Location | None]:
    (problem,) = error.problems
    return problem.message, problem.location


def test_a_table_class_is_compiled_when_it_is_created() -> None:
    design = Shop.design
    assert design.name == "Shop"
    assert [one.cls for one in design.entities] == [Customer, Order]
    assert [each.name for each in design.patterns] == ["customer", "newest"]
    assert design.settings.location == marked(__file__, "shop")
    assert Shop.__doc__ == "A shop."


def test_a_table_class_has_a_keyword_for_every_setting() -> None:
    class Legacy(
        Table,
        entities=[Customer],
        name="legacy-table",
        keys=("pk", "sk"),
        indexes=[GSI("gsi1", name="by_date", keys=("gpk", "gsk"), projection=KEYS_ONLY)],
        type_attribute="Type",
        schema_version_attribute="v",
        ttl_attribute="ttl",
        delimiter="#",
        accept={"ST107": "checked at sign-up"},
    ):
        pass

    design = Legacy.design
    assert design.name == "legacy-table"
    assert design.table.key_attributes == ("pk", "sk")
    assert design.indexes["gsi1"].name == "by_date"
    assert design.indexes["gsi1"].projection is KEYS_ONLY
    settings = design.settings
    assert (settings.type_attribute, settings.schema_version_attribute, settings.ttl_attribute) == ("Type", "v", "ttl")
    assert (settings.delimiter, settings.accept) == ("#", {"ST107": "checked at sign-up"})


def test_a_table_class_passes_its_delimiter_to_the_keys() -> None:
    @entity(key=("CUST:{id}", "METADATA"))
    @dataclass
    class Person:
        id: str

    class People(Table, entities=[Person], delimiter=":"):
        pass

    assert People.design.entities[0].base.encode({"id": "a:b#"}) == {"PK": "CUST:a%3Ab%23", "SK": "METADATA"}


def test_two_table_classes_share_entities_and_nothing_else() -> None:
    class First(Table, entities=[Customer], keys=("a", "b")):
        pass

    class Second(Table, entities=[Customer, Order]):
        pass

    assert First.design.table.key_attributes == ("a", "b")
    assert Second.design.table.key_attributes == ("PK", "SK")
    assert [one.cls for one in First.design.entities] == [Customer]


def test_table_metaclass_rejects_two_patterns_of_one_name_at_the_second() -> None:
    with pytest.raises(DesignError) as caught:

        class Twice(Table, entities=[Customer]):
            @pattern()
            def customer(self, id: str) -> Customer | None:  # first
                return get(Customer)

            @pattern()  # type: ignore[no-redef]  # that is the point
            def customer(self, name: str) -> Page[Customer]:  # noqa: F811  # second
                return query(Customer)

    message, location = problem_of(caught.value)
    first = marked(__file__, "first")
    assert (
        message == f"the name 'customer' is defined twice: the pattern at test_table.py:{first.line} has the same name"
    )
    assert location == marked(__file__, "second")
    assert f"{marked(__file__, 'second').full}: the name 'customer'" in str(caught.value)


def test_table_metaclass_rejects_a_pattern_that_something_else_hides() -> None:
    with pytest.raises(DesignError) as caught:

        class Hidden(Table, entities=[Customer]):
            @pattern()
            def customer(self, id: str) -> Customer | None:
                return get(Customer)

            customer = None  # type: ignore[assignment]  # noqa: F811  # hidden

    assert problem_of(caught.value)[1] == marked(__file__, "hidden")


def test_table_metaclass_reports_every_pattern_named_twice_at_once() -> None:
    def again() -> Any:
        return pattern()(declarable)

    with pytest.raises(DesignError) as caught:

        class Twice(Table, entities=[Customer]):
            one = again()
            two = again()
            one = again()  # noqa: PIE794 - that is the point
            two = again()  # noqa: PIE794

    assert [problem.message.split(":")[0] for problem in caught.value.problems] == [
        "the name 'one' is defined twice",
        "the name 'two' is defined twice",
    ]


def declarable(self: Any, id: str) -> Customer | None:
    return get(Customer)


def declarable_too(self: Any, id: str) -> Order | None:
    return get(Order)


declarable_too.__name__ = "declarable"


def test_a_table_class_gives_a_pattern_its_name() -> None:
    class Named(Table, entities=[Customer, Order]):
        customer = pattern()(declarable)
        order = pattern()(declarable_too)

    assert [each.name for each in Named.design.patterns] == ["customer", "order"]
    assert Named.customer.declaration.name == "customer"


def test_a_table_class_has_two_patterns_for_one_under_two_names() -> None:
    class Aliased(Table, entities=[Customer]):
        customer = pattern()(declarable)
        person = customer

    names = [each.name for each in Aliased.design.patterns]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("name", sorted(RESERVED))
def test_a_table_class_rejects_a_pattern_with_a_reserved_name_of_table_metaclass(name: str) -> None:
    def function(self: Any, id: str) -> Customer | None:
        return get(Customer)

    function.__name__ = name
    function.__annotations__ = {"id": str, "return": Customer | None}
    with pytest.raises(DesignError) as caught:
        TableMeta("Taken", (Table,), {name: pattern()(function)}, entities=[Customer])
    message, location = problem_of(caught.value)
    assert message == f"{name!r} is a reserved name and cannot be the name of a pattern"
    assert location == declare_pattern(function, PatternOptions()).location


def test_a_table_class_rejects_a_reserved_name_whatever_the_function_is_called() -> None:
    with pytest.raises(DesignError, match="'query' is a reserved name"):

        class Taken(Table, entities=[Customer]):
            query = pattern()(declarable)


def test_a_table_class_rejects_a_pattern_over_a_class_of_another_table() -> None:
    with pytest.raises(DesignError) as caught:

        class Partial(Table, entities=[Customer]):
            @pattern()
            def order(self, id: str) -> Order | None:  # over-another
                return get(Order)

    assert problem_of(caught.value) == (
        "pattern order: Order is not an entity of Partial",
        marked(__file__, "over-another"),
    )


def test_a_table_class_rejects_two_entities_of_one_name() -> None:
    @entity(key=("PERSON#{id}", "METADATA"), name="Customer")  # namesake
    @dataclass
    class Person:
        id: str

    with pytest.raises(DesignError) as caught:

        class Namesakes(Table, entities=[Customer, Person]):
            pass

    message, location = problem_of(caught.value)
    assert message.startswith("two entities have the name 'Customer'; the other is at test_table.py:")
    assert location == marked(__file__, "namesake")


def test_a_table_class_reports_all_its_problems_at_once() -> None:
    with pytest.raises(DesignError) as caught:

        class Wrong(Table, entities=[Customer]):
            @pattern()
            def order(self, id: str) -> Order | None:
                return get(Order)

            @pattern()
            def by_nam(self, nam: str) -> Page[Customer]:
                return query(Customer)

            @pattern()
            def by_id(self, id: int) -> Page[Customer]:
                return query(Customer)

    assert [problem.message.split(":")[0] for problem in caught.value.problems] == [
        "pattern order",
        "pattern by_nam",
        "pattern by_id",
    ]
    assert str(caught.value).count("test_table.py:") == 3


class Patterns:
    """Patterns that several tables share."""

    @pattern()
    def customer(self, id: str) -> Customer | None:
        return get(Customer)


def test_a_table_class_has_the_patterns_that_it_inherits() -> None:
    class Mixed(Patterns, Table, entities=[Customer]):
        @pattern()
        def newest(self) -> Page[Customer]:
            return query(Customer)

    class Wider(Shop, entities=[Customer, Order]):
        @pattern()
        def order(self, id: str) -> Order | None:
            return get(Order)

    assert {each.name for each in Mixed.design.patterns} == {"customer", "newest"}
    assert {each.name for each in Wider.design.patterns} == {"customer", "newest", "order"}
    assert {each.name for each in Shop.design.patterns} == {"customer", "newest"}


def test_a_table_class_can_override_an_inherited_pattern() -> None:
    class Narrower(Shop, entities=[Customer]):
        @pattern()
        def customer(self, name: str) -> Page[Customer]:  # type: ignore[override]  # that is the point
            return query(Customer)

    (found,) = [each for each in Narrower.design.patterns if each.name == "customer"]
    assert list(found.parameters) == ["name"]


def test_a_table_class_needs_its_entities() -> None:
    with pytest.raises(TypeError, match="entities"):

        class Empty(Table):  # type: ignore[call-arg]  # that is the point
            pass


@pytest.mark.parametrize("entities", [Customer, {Customer}, None, "Customer"])
def test_a_table_class_rejects_entities_that_are_not_a_list_of_classes(entities: Any) -> None:
    with pytest.raises(DesignError, match="must be a list of classes"):

        class Wrong(Table, entities=entities):  # type: ignore[misc, unused-ignore]
            pass


@pytest.mark.parametrize("accept", [["ST107"], {"ST107": ""}, "ST107"])
def test_a_table_class_accepts_a_finding_only_with_a_reason(accept: Any) -> None:
    with pytest.raises(DesignError, match="must map the code of each finding to a reason") as caught:

        class Wrong(Table, entities=[Customer], accept=accept):  # unreasoned
            pass

    assert problem_of(caught.value)[1] == marked(__file__, "unreasoned")


def test_a_pattern_of_a_table_instance_is_the_pattern_of_its_table_class() -> None:
    assert Shop().customer.declaration is Shop.customer.declaration


def test_a_table_class_can_have_other_methods() -> None:
    class WithMethods(Table, entities=[Customer]):
        limit = 5

        @pattern()
        def add(self, customer: Customer) -> Customer:
            return put(Customer)

        def hello(self) -> str:
            return f"hello {self.limit}"

    assert WithMethods().hello() == "hello 5"
    assert [each.name for each in WithMethods.design.patterns] == ["add"]


def test_entity_placement_encodes_a_datetime_in_utc_in_an_index_key() -> None:
    placement = Shop.design.entity_of(Customer).placements["gsi1"]
    assert placement.encode({"created_at": datetime(2026, 4, 10, tzinfo=UTC)}) == {
        "GSI1PK": "CUSTOMER",
        "GSI1SK": "2026-04-10T00:00:00Z",
    }
