// ElectroDB: two entities in one table, a service with a collection of both, its cursors, batches and transactions.

import assert from "node:assert/strict";
import { test } from "node:test";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { Entity, Service } from "electrodb";
import { createTable } from "./tables.mjs";

const table = "electrodb";
const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));

const Library = new Entity(
  {
    model: { entity: "library", version: "1", service: "books" },
    attributes: {
      town: { type: "string", required: true },
      library: { type: "string", required: true },
      opened: { type: "number", default: 2001 },
      genres: { type: "set", items: "string" },
    },
    indexes: {
      place: {
        collection: "shelves",
        pk: { field: "pk", composite: ["library"] },
        sk: { field: "sk", composite: [] },
      },
      byTown: {
        index: "gsi1",
        pk: { field: "gsi1pk", composite: ["town"] },
        sk: { field: "gsi1sk", composite: ["library"] },
      },
    },
  },
  { client, table },
);

const Book = new Entity(
  {
    model: { entity: "book", version: "1", service: "books" },
    attributes: {
      library: { type: "string", required: true },
      isbn: { type: "string", required: true },
      title: { type: "string", required: true },
      author: { type: "string", required: true },
      loans: { type: "number", default: 0 },
      state: { type: ["shelved", "lent"], default: "shelved" },
      notes: { type: "list", items: { type: "map", properties: { by: { type: "string" }, text: { type: "string" } } } },
      changed: { type: "number", watch: "*", set: () => Date.now(), readOnly: true },
    },
    indexes: {
      place: {
        collection: "shelves",
        pk: { field: "pk", composite: ["library"] },
        sk: { field: "sk", composite: ["isbn"] },
      },
      byAuthor: {
        index: "gsi1",
        pk: { field: "gsi1pk", composite: ["author"] },
        sk: { field: "gsi1sk", composite: ["title", "isbn"] },
      },
    },
  },
  { client, table },
);

const Books = new Service({ library: Library, book: Book });
const isbns = Array.from({ length: 30 }, (_, n) => String(1000 + n));
const book = (isbn) => ({ library: "main", isbn, title: `Title ${isbn}`, author: Number(isbn) % 2 ? "Odd" : "Even" });

test("a table is created", () => createTable(client, table));

test("entities are created, and read by their key", async () => {
  await Library.create({ library: "main", town: "Bern", genres: ["prose", "verse"] }).go();
  const created = await Book.create(book("1000")).go();
  assert.equal(created.data.state, "shelved");
  const { data } = await Book.get({ library: "main", isbn: "1000" }).go();
  assert.equal(data.title, "Title 1000");
});

test("creating an existing item fails with the reason", async () => {
  await assert.rejects(Book.create(book("1000")).go(), (error) => {
    assert.equal(error.isElectroError, true);
    assert.equal(error.cause.name, "ConditionalCheckFailedException");
    return true;
  });
});

test("items are put and got in batches", async () => {
  const put = await Book.put(isbns.slice(1).map(book)).go();
  assert.deepEqual(put.unprocessed, []);
  const { data, unprocessed } = await Book.get(isbns.map((isbn) => ({ library: "main", isbn }))).go();
  assert.equal(data.length, 30);
  assert.deepEqual(unprocessed, []);
});

test("a patch changes numbers, lists and enums of existing items only", async () => {
  const { data } = await Book.patch({ library: "main", isbn: "1003" })
    .set({ state: "lent" })
    .add({ loans: 1 })
    .append({ notes: [{ by: "ada", text: "a corner is torn" }] })
    .where(({ state }, { eq }) => eq(state, "shelved"))
    .go({ response: "all_new" });
  assert.deepEqual([data.state, data.loans, data.notes[0].by], ["lent", 1, "ada"]);
  await assert.rejects(Book.patch({ library: "main", isbn: "9" }).set({ state: "lent" }).go(), /conditional request failed/);
  const upserted = await Library.upsert({ library: "main", town: "Bern" }).add({ genres: ["maps"] }).go({ response: "all_new" });
  assert.deepEqual([...upserted.data.genres].sort(), ["maps", "prose", "verse"]);
});

test("one query returns both entities of a collection", async () => {
  const { data } = await Books.collections.shelves({ library: "main" }).go({ pages: "all" });
  assert.deepEqual(data.library.map((found) => found.town), ["Bern"]);
  assert.deepEqual(data.book.map((found) => found.isbn), isbns);
});

for (const order of ["asc", "desc"]) {
  test(`an index is paged with cursors, ${order}`, async () => {
    const found = [];
    let cursor = null;
    do {
      const page = await Book.query.byAuthor({ author: "Even" }).go({ cursor, limit: 4, order });
      assert.ok(page.data.length <= 4);
      found.push(...page.data.map((each) => each.isbn));
      cursor = page.cursor;
    } while (cursor !== null);
    const even = isbns.filter((isbn) => Number(isbn) % 2 === 0);
    assert.deepEqual(found, order === "asc" ? even : even.reverse());
  });
}

test("ranges, filters and selected attributes", async () => {
  const between = await Book.query.place({ library: "main" }).between({ isbn: "1002" }, { isbn: "1005" }).go();
  assert.deepEqual(between.data.map((found) => found.isbn), ["1002", "1003", "1004", "1005"]);
  const begins = await Book.query.byAuthor({ author: "Odd" }).begins({ title: "Title 100" }).go({ attributes: ["isbn"] });
  assert.deepEqual(begins.data, ["1001", "1003", "1005", "1007", "1009"].map((isbn) => ({ isbn })));
  const lent = await Book.query
    .place({ library: "main" })
    .where(({ state, loans }, { eq, gte }) => `${eq(state, "lent")} AND ${gte(loans, 1)}`)
    .go();
  assert.deepEqual(lent.data.map((found) => found.isbn), ["1003"]);
  const matched = await Book.match({ author: "Odd", state: "lent" }).go();
  assert.deepEqual(matched.data.map((found) => found.isbn), ["1003"]);
});

test("a scan finds only the items of its entity", async () => {
  const { data } = await Library.scan.go({ pages: "all" });
  assert.equal(data.length, 1);
});

test("a transaction succeeds, and a cancelled one names the failed action", async () => {
  const lend = (isbn) =>
    Books.transaction
      .write((entities) => [
        entities.library.patch({ library: "main" }).add({ opened: 1 }).commit(),
        entities.book
          .patch({ library: "main", isbn })
          .set({ state: "lent" })
          .where(({ state }, { eq }) => eq(state, "shelved"))
          .commit({ response: "all_old" }),
      ])
      .go();
  assert.equal((await lend("1004")).canceled, false);
  const cancelled = await lend("1003");
  assert.equal(cancelled.canceled, true);
  assert.deepEqual(cancelled.data.map((each) => each.code), ["None", "ConditionalCheckFailed"]);
  assert.equal(cancelled.data[1].item.loans, 1);
  const got = await Books.transaction
    .get((entities) => [
      entities.library.get({ library: "main" }).commit(),
      entities.book.get({ library: "main", isbn: "1004" }).commit(),
    ])
    .go();
  assert.deepEqual(got.data.map((each) => each.item.opened ?? each.item.state), [2002, "lent"]);
});

test("items are removed singly and in batches", async () => {
  const { data } = await Book.remove({ library: "main", isbn: "1000" }).go({ response: "all_old" });
  assert.equal(data.title, "Title 1000");
  await Book.delete(isbns.slice(1).map((isbn) => ({ library: "main", isbn }))).go();
  const left = await Books.collections.shelves({ library: "main" }).go();
  assert.deepEqual([left.data.library.length, left.data.book.length], [1, 0]);
});
