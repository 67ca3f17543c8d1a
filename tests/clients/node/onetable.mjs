// OneTable: a schema with two models that creates its own table, one fetch for several models, pages, unique fields.

import assert from "node:assert/strict";
import { test } from "node:test";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { Table } from "dynamodb-onetable";

const schema = {
  format: "onetable:1.1.0",
  version: "0.0.1",
  indexes: {
    primary: { hash: "pk", sort: "sk" },
    gs1: { hash: "gs1pk", sort: "gs1sk", follow: false },
    ls1: { sort: "created", type: "local", project: "keys" },
  },
  models: {
    Band: {
      pk: { type: String, value: "band:${name}" },
      sk: { type: String, value: "band:" },
      name: { type: String, required: true },
      email: { type: String, unique: true, required: true },
      founded: { type: Date },
    },
    Concert: {
      pk: { type: String, value: "band:${band}" },
      sk: { type: String, value: "concert:${id}" },
      gs1pk: { type: String, value: "town:${town}" },
      gs1sk: { type: String, value: "concert:${id}" },
      id: { type: String, generate: "ulid" },
      band: { type: String, required: true },
      town: { type: String, required: true },
      sold: { type: Number, default: 0 },
      place: { type: Object, schema: { hall: { type: String }, seats: { type: Number } } },
    },
  },
  params: { isoDates: true, timestamps: true },
};

const table = new Table({ client: new DynamoDBClient({}), name: "onetable", schema, partial: true });
const Band = table.getModel("Band");
const Concert = table.getModel("Concert");
const ids = [];

test("the table is created from the schema", async () => {
  await table.createTable();
  assert.equal(await table.exists(), true);
  const { Table: described } = await table.describeTable();
  assert.equal(described.GlobalSecondaryIndexes.length, 1);
  assert.equal(described.LocalSecondaryIndexes.length, 1);
});

test("items are created and got with their types", async () => {
  await Band.create({ name: "Tin", email: "tin@example.com", founded: new Date("2001-02-03T04:05:06Z") });
  const band = await Band.get({ name: "Tin" });
  assert.deepEqual([band.email, band.founded.toISOString()], ["tin@example.com", "2001-02-03T04:05:06.000Z"]);
  for (let n = 0; n < 12; n++) {
    const concert = await Concert.create({ band: "Tin", town: n % 3 ? "Ulm" : "Bonn", place: { hall: `Hall ${n}`, seats: 100 } });
    ids.push(concert.id);
  }
});

test("duplicates are rejected", async () => {
  await assert.rejects(Band.create({ name: "Tin", email: "other@example.com" }), (error) => {
    assert.equal(error.constructor.name, "OneTableError");
    return true;
  });
  await assert.rejects(Band.create({ name: "Zinc", email: "tin@example.com" }), { code: "UniqueError" });
  assert.equal(await Band.get({ name: "Zinc" }), undefined);
});

test("an update adds, sets a nested value and has a condition", async () => {
  const updated = await Concert.update(
    { band: "Tin", id: ids[0], place: { seats: 150 } },
    { add: { sold: 5 }, where: "${sold} < {10}", return: "ALL_NEW" },
  );
  assert.deepEqual([updated.sold, updated.place], [5, { hall: "Hall 0", seats: 150 }]);
  await assert.rejects(
    Concert.update({ band: "Tin", id: ids[0] }, { add: { sold: 1 }, where: "${sold} > {10}" }),
    { code: "ConditionalCheckFailedException" },
  );
  const upserted = await Concert.upsert({ band: "Tin", id: ids[1], town: "Ulm", sold: 9 });
  assert.equal(upserted.sold, 9);
});

test("one fetch returns several models", async () => {
  const { Band: bands, Concert: concerts } = await table.fetch(["Band", "Concert"], { pk: "band:Tin" });
  assert.deepEqual([bands.length, concerts.length], [1, 12]);
});

for (const reverse of [false, true]) {
  test(`a find is paged ${reverse ? "backwards" : "forwards"}`, async () => {
    const found = [];
    let next;
    do {
      const page = await Concert.find({ band: "Tin" }, { limit: 5, reverse, next });
      found.push(...page.map((concert) => concert.id));
      next = page.next;
    } while (next);
    const sorted = [...ids].sort();
    assert.deepEqual(found, reverse ? sorted.reverse() : sorted);
  });
}

test("an index is queried with filters and operators, counted and scanned", async () => {
  const inUlm = await Concert.find({ town: "Ulm" }, { index: "gs1", where: "${sold} > {1}" });
  assert.deepEqual(inUlm.map((concert) => concert.id), [ids[1]]);
  const bonn = await Concert.find({ town: "Bonn" }, { index: "gs1", count: true });
  assert.equal(bonn.count, 4);
  const begun = await Concert.find({ pk: "band:Tin", sk: { begins: "concert:" } }, { limit: 3 });
  assert.equal(begun.length, 3);
  const scanned = await Concert.scan({}, { where: "${place.seats} = {150}" });
  assert.deepEqual(scanned.map((concert) => concert.id), [ids[0]]);
});

test("batches are collected and sent together", async () => {
  const batch = {};
  await Concert.create({ band: "Lead", town: "Ulm", id: "1" }, { batch });
  await Concert.create({ band: "Lead", town: "Ulm", id: "2" }, { batch, exists: null });
  await table.batchWrite(batch);
  const wanted = {};
  for (const id of ["1", "2"]) await Concert.get({ band: "Lead", id }, { batch: wanted });
  const got = await table.batchGet(wanted, { parse: true });
  assert.deepEqual(got.map((concert) => concert.id).sort(), ["1", "2"]);
});

test("a transaction succeeds, and a cancelled one names the reasons", async () => {
  const transaction = {};
  await Concert.update({ band: "Lead", id: "1", sold: 3 }, { transaction });
  await Concert.remove({ band: "Lead", id: "2" }, { transaction });
  await table.transact("write", transaction);
  assert.deepEqual((await Concert.find({ band: "Lead" })).map((concert) => concert.sold), [3]);

  const cancelled = {};
  await Concert.update({ band: "Lead", id: "1", sold: 4 }, { transaction: cancelled });
  await Concert.create({ band: "Tin", town: "Ulm", id: ids[0] }, { transaction: cancelled, exists: false });
  await assert.rejects(table.transact("write", cancelled), (error) => {
    assert.equal(error.code, "TransactionCanceledException");
    const reasons = error.context.err.CancellationReasons.map((reason) => reason.Code);
    assert.deepEqual(reasons, ["None", "ConditionalCheckFailed"]);
    return true;
  });
});

test("one item, several items and the table are removed", async () => {
  await Concert.remove({ band: "Tin", id: ids[0] });
  await Concert.remove({ band: "Tin" }, { many: true });
  assert.equal((await Concert.find({ band: "Tin" })).length, 0);
  await Band.remove({ name: "Tin" });
  await table.deleteTable("DeleteTableForever");
  assert.equal(await table.exists(), false);
});
