"""Copies: two copies of one source in one item, and copies in items of an older schema version."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from singletable import Page, Table, copy, count, entity, field, key, pattern, query, upgrade
from singletable.client.request_steps import _responses
from singletable.errors import RequestRefused
from tests.client.between import Document, between
from tests.client.places import Place, call


@entity(key=("USER#{id}", "PROFILE"))
@dataclass
class User:
    id: str
    name: str
    sent: int = 0


@entity(
    key=("USER#{sender}", "MESSAGE#{id}"),
    gsi1=("USER#{receiver}", "{sender_name}#{receiver_name}#{id}"),
    copies=[
        copy(User, by={"id": "sender"}, fields={"name": "sender_name"}),
        copy(User, by={"id": "receiver"}, fields={"name": "receiver_name"}),
    ],
    counted=[count(User, by={"id": "sender"}, field="sent")],
)
@dataclass
class Message:
    id: str
    sender: str
    receiver: str
    sender_name: str = ""
    receiver_name: str = ""


class Mail(Table, entities=[User, Message]):
    """Messages that contain the names of sender and receiver."""

    @pattern()
    def sent(self, sender: str) -> Page[Message]:
        """The messages of a sender."""
        return query(Message)

    @pattern()
    def received(self, receiver: str) -> Page[Message]:
        """The messages to a receiver, by the names of both."""
        return query(Message)


NAME = field(User, lambda user: user.name)


def test_update_copies_supports_two_sources_of_one_entity_in_an_item(place: Place) -> None:
    place.needs("transactions")
    with place.open(Mail) as mail:
        mail.put(User("a", "Ada"))
        mail.put(User("b", "Bob"))
        mail.create(Message("m1", "a", "b"))
        mail.update(key(User, id="b"), NAME.set("Bea"))
        assert mail.received("b").items == [Message("m1", "a", "b", "Ada", "Bea")]
        mail.update(key(User, id="a"), NAME.set("Ann"))
        assert mail.received("b").items == mail.sent("a").items == [Message("m1", "a", "b", "Ann", "Bea")]


def test_update_copies_supports_two_copies_of_one_source_in_an_item(place: Place) -> None:
    place.needs("transactions")
    with place.open(Mail) as mail:
        mail.put(User("a", "Ada"))
        mail.create(Message("note", "a", "a"))
        mail.update(key(User, id="a"), NAME.set("Ann"))
        assert mail.received("a").items == mail.sent("a").items == [Message("note", "a", "a", "Ann", "Ann")]


def test_derived_actions_write_a_counted_item_and_its_owner_together(place: Place) -> None:
    place.needs("transactions")
    with place.open(Mail) as mail:
        for number in (1, 2):
            with mail.transaction() as tx:
                tx.upsert(User("a", "Ada"))
                tx.create(Message(f"m{number}", "a", "a"))
            assert mail.get(key(User, id="a")) == User("a", "Ada", sent=number)
        with mail.transaction() as tx:
            tx.delete(key(Message, sender="a", id="m1"))
            tx.upsert(User("a", "Ann"))
        assert mail.get(key(User, id="a")) == User("a", "Ann", sent=1)


@entity(
    key=("USER#{author}", "POST#{id}"),
    gsi1=("NAME#{author_name}", "{kind}#{id}"),
    copies=[copy(User, by={"id": "author"}, fields={"name": "author_name"})],
    schema_version=2,
)
@dataclass
class Post:
    id: str
    author: str
    kind: str
    author_name: str = ""


@upgrade(Post, from_version=1)
def kinds_were_called_types(item: dict[str, object]) -> dict[str, object]:
    item["kind"] = item.pop("type", "note")
    item["author_name"] = item.get("author_name", "")
    return item


class Posts(Table, entities=[User, Post]):
    """Posts of which the first version had no copy."""

    @pattern()
    def posts_of(self, author: str) -> Page[Post]:
        """The posts of an author."""
        return query(Post)

    @pattern()
    def posts_by(self, author_name: str) -> Page[Post]:
        """The posts of authors with a name."""
        return query(Post)


def _older(posts: Posts, number: int) -> None:
    item = {
        "PK": "USER#a",
        "SK": f"POST#p{number}",
        "entity_type": "Post",
        "id": f"p{number}",
        "author": "a",
        "type": "essay",
    }
    call(posts, "PutItem", Item={name: {"S": text} for name, text in item.items()})


def test_update_copies_writes_a_copy_in_an_older_item_with_its_upgrade(place: Place) -> None:
    place.needs("transactions")
    with place.open(Posts) as posts:
        posts.put(User("a", "Ada"))
        for number in (1, 2):
            _older(posts, number)
        posts.create(Post("p3", "a", "essay"))
        posts.update(key(User, id="a"), NAME.set("Ann"))
        expected = [Post(f"p{number}", "a", "essay", "Ann") for number in (1, 2, 3)]
        assert posts.posts_of("a").items == posts.posts_by("Ann").items == expected
        posts.put(User("a", "Amy"))
        expected = [Post(f"p{number}", "a", "essay", "Amy") for number in (1, 2, 3)]
        assert posts.posts_of("a").items == posts.posts_by("Amy").items == expected
        assert posts.posts_by("Ann").items == []


def test_copies_of_a_new_source_replace_the_new_name_of_the_old_source(place: Place) -> None:
    place.needs("transactions")
    with place.open(Mail) as mail:
        for user in (User("a", "Ada"), User("b", "Bob"), User("c", "Bob")):
            mail.put(user)
        mail.create(Message("m1", "a", "b"))
        is_renamed = False

        def rename(operation: str, document: Document) -> None:
            nonlocal is_renamed
            if operation == "TransactWriteItems" and not is_renamed:
                is_renamed = True
                mail.update(key(User, id="b"), NAME.set("Bea"))  # between the read of the message and its write

        between(mail, rename)
        mail.update(key(Message, sender="a", id="m1"), field(Message, lambda m: m.receiver).set("c"))
        assert is_renamed
        assert mail.received("c").items == [Message("m1", "a", "c", "Ada", "Bob")]


@entity(
    key=("TASK#{id}", "TASK"),
    gsi1=("USER#{owner}", "TASK#{id}"),
    copies=[copy(User, by={"id": "owner"}, fields={"name": "owner_name"})],
)
@dataclass
class Task:
    id: str
    owner: str
    owner_name: str = ""


class Tasks(Table, entities=[User, Task]):
    """Tasks that contain the names of their owners."""

    @pattern()
    def of_owner(self, owner: str) -> Page[Task]:
        """The tasks of an owner."""
        return query(Task)


def test_update_copies_leaves_an_item_that_got_another_source_meanwhile() -> None:
    with Tasks.open("memory:") as tasks:
        for each in (User("a", "Bob"), User("b", "Bob")):
            tasks.put(each)
        tasks.create(Task("t1", "a"))
        opened = tasks._opened()
        steps = opened.writer.update(key(User, id="a"), (NAME.set("Ann"),), None)
        step = next(steps)
        with suppress(StopIteration):
            while True:
                if isinstance(step, list | tuple) and step[0].operation == "TransactWriteItems":
                    tasks.update(key(Task, id="t1"), field(Task, lambda task: task.owner).set("b"))
                try:
                    step = steps.send(_responses(step, opened.session))
                except RequestRefused as problem:
                    step = steps.throw(problem)
        assert tasks.get(key(User, id="a")) == User("a", "Ann")
        assert tasks.get(key(Task, id="t1")) == Task("t1", "b", "Bob")
