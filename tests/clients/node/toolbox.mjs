// DynamoDB-Toolbox: two entities with prefixed and linked keys, one query for both, batches and transactions.

import assert from "node:assert/strict";
import { test } from "node:test";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import {
  $add,
  $append,
  $remove,
  BatchDeleteRequest,
  BatchGetCommand,
  BatchGetRequest,
  BatchPutRequest,
  BatchWriteCommand,
  ConditionCheck,
  DeleteItemCommand,
  DeletePartitionCommand,
  Entity,
  executeBatchGet,
  executeBatchWrite,
  executeTransactGet,
  executeTransactWrite,
  GetItemCommand,
  GetTransaction,
  isConditionCheckFailed,
  isTransactionCancelled,
  item,
  list,
  map,
  number,
  prefix,
  PutItemCommand,
  PutTransaction,
  QueryCommand,
  ScanCommand,
  set,
  string,
  Table,
  UpdateItemCommand,
  UpdateTransaction,
} from "dynamodb-toolbox";
import { createTable } from "./tables.mjs";

const documentClient = DynamoDBDocumentClient.from(new DynamoDBClient({}));
const Zoo = new Table({
  documentClient,
  name: "dynamodb-toolbox",
  partitionKey: { name: "pk", type: "string" },
  sortKey: { name: "sk", type: "string" },
  indexes: {
    gsi1: {
      type: "global",
      partitionKey: { name: "gsi1pk", type: "string" },
      sortKey: { name: "gsi1sk", type: "string" },
    },
  },
});

const Keeper = new Entity({
  name: "KEEPER",
  table: Zoo,
  schema: item({
    house: string().key().transform(prefix("HOUSE")).savedAs("pk"),
    keeper: string().key().transform(prefix("KEEPER")).savedAs("sk"),
    name: string(),
    skills: set(string()).optional(),
  }),
});

const Animal = new Entity({
  name: "ANIMAL",
  table: Zoo,
  schema: item({
    house: string().key(),
    animal: string().key(),
    species: string().enum("lynx", "otter"),
    weight: number(),
    meals: list(map({ day: string(), grams: number() })).default([]),
  }).and(() => ({
    gsi1pk: string().link(({ species }) => `SPECIES#${species}`),
    gsi1sk: string().link(({ animal }) => animal),
  })),
  computeKey: ({ house, animal }) => ({ pk: `HOUSE#${house}`, sk: `ANIMAL#${animal}` }),
});

const names = Array.from({ length: 20 }, (_, n) => `a${String(n).padStart(2, "0")}`);
const animal = (name, n) => ({ house: "north", animal: name, species: n % 2 ? "otter" : "lynx", weight: 10 + n });
const key = { house: "north", animal: "a03" };

test("a table is created", () => createTable(documentClient, Zoo.tableName));

test("entities are put, and got with their types and defaults", async () => {
  await Keeper.build(PutItemCommand).item({ house: "north", keeper: "1", name: "Ada", skills: new Set(["fish"]) }).send();
  await Animal.build(PutItemCommand).item(animal("a00", 0)).send();
  const { Item } = await Animal.build(GetItemCommand).key({ house: "north", animal: "a00" }).options({ consistent: true }).send();
  assert.deepEqual([Item.species, Item.weight, Item.meals], ["lynx", 10, []]);
  assert.ok(!Number.isNaN(Date.parse(Item.created)));
  const keeper = await Keeper.build(GetItemCommand).key({ house: "north", keeper: "1" }).send();
  assert.deepEqual(keeper.Item.skills, new Set(["fish"]));
});

test("a failed condition is recognised, with the item", async () => {
  const again = Animal.build(PutItemCommand)
    .item(animal("a00", 0))
    .options({ condition: { attr: "species", exists: false }, returnValuesOnConditionFalse: "ALL_OLD" });
  await assert.rejects(again.send(), (error) => {
    assert.ok(isConditionCheckFailed(error, Animal));
    assert.equal(error.FormattedItem.weight, 10);
    return true;
  });
});

test("items are written and got in batches", async () => {
  const requests = names.slice(1).map((name, n) => Animal.build(BatchPutRequest).item(animal(name, n + 1)));
  await executeBatchWrite(Zoo.build(BatchWriteCommand).requests(...requests));
  const keys = names.map((name) => Animal.build(BatchGetRequest).key({ house: "north", animal: name }));
  const { Responses } = await executeBatchGet(Zoo.build(BatchGetCommand).requests(...keys));
  assert.deepEqual(Responses[0].map((found) => found.animal), names);
});

test("an update adds, appends and removes", async () => {
  const { Attributes } = await Animal.build(UpdateItemCommand)
    .item({ ...key, weight: $add(2), meals: $append([{ day: "monday", grams: 700 }]) })
    .options({ returnValues: "ALL_NEW", condition: { attr: "weight", gt: 5 } })
    .send();
  assert.deepEqual([Attributes.weight, Attributes.meals], [15, [{ day: "monday", grams: 700 }]]);
  const updated = await Keeper.build(UpdateItemCommand)
    .item({ house: "north", keeper: "1", skills: $remove() })
    .options({ returnValues: "ALL_NEW" })
    .send();
  assert.equal(updated.Attributes.skills, undefined);
});

test("one query returns the items of both entities", async () => {
  const { Items } = await Zoo.build(QueryCommand)
    .query({ partition: "HOUSE#north" })
    .entities(Keeper, Animal)
    .options({ maxPages: Infinity, showEntityAttr: true })
    .send();
  assert.deepEqual(Items.map((found) => found.entity), [...names.map(() => "ANIMAL"), "KEEPER"]);
});

for (const reverse of [false, true]) {
  test(`a query of the index is paged ${reverse ? "backwards" : "forwards"}`, async () => {
    const found = [];
    let exclusiveStartKey;
    do {
      const page = await Zoo.build(QueryCommand)
        .query({ index: "gsi1", partition: "SPECIES#otter", range: { gte: "a05" } })
        .entities(Animal)
        .options({ limit: 3, reverse, exclusiveStartKey })
        .send();
      found.push(...page.Items.map((each) => each.animal));
      exclusiveStartKey = page.LastEvaluatedKey;
    } while (exclusiveStartKey);
    const otters = names.filter((name, n) => n % 2 && n >= 5);
    assert.deepEqual(found, reverse ? otters.reverse() : otters);
  });
}

test("a query has filters for each entity, and a scan finds the rest", async () => {
  const { Items } = await Zoo.build(QueryCommand)
    .query({ partition: "HOUSE#north", range: { beginsWith: "ANIMAL#" } })
    .entities(Animal)
    .options({ filters: { ANIMAL: { and: [{ attr: "weight", between: [12, 14] }, { attr: "species", eq: "lynx" }] } } })
    .send();
  assert.deepEqual(Items.map((found) => found.weight), [12, 14]);
  const scanned = await Zoo.build(ScanCommand).entities(Keeper).options({ attributes: ["name"] }).send();
  assert.deepEqual(scanned.Items, [{ name: "Ada" }]);
});

test("a transaction succeeds, and a cancelled one names the failed action", async () => {
  const feed = Animal.build(UpdateTransaction).item({ ...key, weight: $add(1) });
  const hire = Keeper.build(PutTransaction).item({ house: "north", keeper: "2", name: "Grace" });
  await executeTransactWrite(feed, hire);
  const got = await executeTransactGet(
    Animal.build(GetTransaction).key(key),
    Keeper.build(GetTransaction).key({ house: "north", keeper: "2" }),
  );
  assert.deepEqual(got.Responses.map(({ Item }) => Item.weight ?? Item.name), [16, "Grace"]);

  const heavy = Animal.build(ConditionCheck).key({ house: "north", animal: "a04" }).condition({ attr: "weight", gt: 99 });
  await assert.rejects(executeTransactWrite(feed, heavy), (cancelled) => {
    assert.ok(isTransactionCancelled(cancelled, feed, heavy));
    assert.deepEqual(cancelled.CancellationReasons.map((reason) => reason.Code), ["None", "ConditionalCheckFailed"]);
    return true;
  });
});

test("items are deleted singly, in batches and by partition", async () => {
  const { Attributes } = await Animal.build(DeleteItemCommand).key(key).options({ returnValues: "ALL_OLD" }).send();
  assert.equal(Attributes.weight, 16);
  await executeBatchWrite(
    Zoo.build(BatchWriteCommand).requests(Animal.build(BatchDeleteRequest).key({ house: "north", animal: "a05" })),
  );
  await Zoo.build(DeletePartitionCommand).query({ partition: "HOUSE#north" }).entities(Animal, Keeper).send();
  const { Items } = await Zoo.build(ScanCommand).send();
  assert.deepEqual(Items, []);
});
