// The AWS SDK for JavaScript v3: commands of the client and of the document client, waiters, paginators, exceptions.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import {
  ConditionalCheckFailedException,
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  GetItemCommand,
  paginateListTables,
  PutItemCommand,
  ResourceNotFoundException,
  TransactionCanceledException,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  paginateQuery,
  paginateScan,
  PutCommand,
  QueryCommand,
  TransactGetCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";

const TableName = "js-sdk";
const client = new DynamoDBClient({});
const document = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
const orders = Array.from({ length: 25 }, (_, n) => ({
  PK: "CUST#1",
  SK: `ORDER#${String(n).padStart(3, "0")}`,
  GSI1PK: `STATUS#${n % 2}`,
  GSI1SK: String(n).padStart(3, "0"),
  n,
}));

async function every(pages) {
  const found = [];
  for await (const page of pages) found.push(page);
  return found;
}

test("a table with an index is created and waited for", async () => {
  const key = (hash, range) => [
    { AttributeName: hash, KeyType: "HASH" },
    { AttributeName: range, KeyType: "RANGE" },
  ];
  await client.send(
    new CreateTableCommand({
      TableName,
      KeySchema: key("PK", "SK"),
      AttributeDefinitions: ["PK", "SK", "GSI1PK", "GSI1SK"].map((name) => ({ AttributeName: name, AttributeType: "S" })),
      GlobalSecondaryIndexes: [
        { IndexName: "GSI1", KeySchema: key("GSI1PK", "GSI1SK"), Projection: { ProjectionType: "ALL" } },
      ],
      BillingMode: "PAY_PER_REQUEST",
    }),
  );
  const waited = await waitUntilTableExists({ client, maxWaitTime: 30 }, { TableName });
  assert.equal(waited.state, "SUCCESS");
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  assert.ok(Table.CreationDateTime instanceof Date);
  assert.equal(Table.GlobalSecondaryIndexes[0].IndexStatus, "ACTIVE");
  const names = (await every(paginateListTables({ client, pageSize: 1 }, {}))).flatMap((page) => page.TableNames);
  assert.ok(names.includes(TableName));
});

test("every type is read back unchanged", async () => {
  const item = {
    PK: "TYPES",
    SK: "ALL",
    text: "ü🙂",
    number: -12.5,
    flag: false,
    nothing: null,
    list: [1, "two", { three: 3 }],
    map: { a: { b: [true] } },
    texts: new Set(["a", "b"]),
    numbers: new Set([1, 2.5]),
    binary: new Uint8Array([0, 255]),
  };
  await document.send(new PutCommand({ TableName, Item: { ...item, absent: undefined } }));
  const { Item } = await document.send(new GetCommand({ TableName, Key: { PK: "TYPES", SK: "ALL" } }));
  assert.deepEqual({ ...Item, binary: new Uint8Array(Item.binary) }, item);
  await document.send(new DeleteCommand({ TableName, Key: { PK: "TYPES", SK: "ALL" } }));
});

test("a batch is written and read", async () => {
  const written = await document.send(
    new BatchWriteCommand({ RequestItems: { [TableName]: orders.map((Item) => ({ PutRequest: { Item } })) } }),
  );
  assert.deepEqual(written.UnprocessedItems, {});
  const Keys = orders.map(({ PK, SK }) => ({ PK, SK }));
  const { Responses } = await document.send(new BatchGetCommand({ RequestItems: { [TableName]: { Keys } } }));
  assert.equal(Responses[TableName].length, 25);
});

test("a failed condition raises an exception with the item", async () => {
  const put = new PutItemCommand({
    TableName,
    Item: { PK: { S: "CUST#1" }, SK: { S: "ORDER#003" } },
    ConditionExpression: "attribute_not_exists(PK)",
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  });
  await assert.rejects(client.send(put), (error) => {
    assert.ok(error instanceof ConditionalCheckFailedException);
    assert.equal(error.message, "The conditional request failed");
    assert.deepEqual(error.Item.n, { N: "3" });
    assert.equal(error.$metadata.attempts, 1);
    return true;
  });
  const get = new GetItemCommand({ TableName: "no-such-table", Key: { PK: { S: "a" } } });
  await assert.rejects(client.send(get), ResourceNotFoundException);
});

test("an update returns the changed attributes", async () => {
  const { Attributes } = await document.send(
    new UpdateCommand({
      TableName,
      Key: { PK: "CUST#1", SK: "ORDER#004" },
      UpdateExpression: "SET #status = :paid ADD #n :one",
      ExpressionAttributeNames: { "#status": "status", "#n": "n" },
      ExpressionAttributeValues: { ":paid": "PAID", ":one": 0 },
      ReturnValues: "UPDATED_NEW",
    }),
  );
  assert.deepEqual(Attributes, { status: "PAID", n: 4 });
});

for (const ScanIndexForward of [true, false]) {
  test(`a query is paged ${ScanIndexForward ? "forwards" : "backwards"}`, async () => {
    const query = {
      TableName,
      KeyConditionExpression: "PK = :pk AND SK BETWEEN :a AND :z",
      ExpressionAttributeValues: { ":pk": "CUST#1", ":a": "ORDER#005", ":z": "ORDER#019" },
      ScanIndexForward,
    };
    const pages = await every(paginateQuery({ client: document, pageSize: 6 }, query));
    const expected = orders.slice(5, 20).map((order) => order.n);
    assert.deepEqual(pages.map((page) => page.Count), [6, 6, 3]);
    assert.deepEqual(
      pages.flatMap((page) => page.Items.map((item) => item.n)),
      ScanIndexForward ? expected : expected.reverse(),
    );
  });
}

test("an index is queried, and its capacity is returned", async () => {
  const answer = await document.send(
    new QueryCommand({
      TableName,
      IndexName: "GSI1",
      KeyConditionExpression: "GSI1PK = :status",
      ExpressionAttributeValues: { ":status": "STATUS#1" },
      ReturnConsumedCapacity: "INDEXES",
    }),
  );
  assert.equal(answer.Count, 12);
  assert.deepEqual(answer.ConsumedCapacity.GlobalSecondaryIndexes, { GSI1: { CapacityUnits: 0.5 } });
});

test("a transaction is written, and read in a transaction", async () => {
  const Put = { TableName, Item: { PK: "CUST#1", SK: "PROFILE", orders: 25 } };
  const Update = {
    TableName,
    Key: { PK: "CUST#1", SK: "ORDER#001" },
    UpdateExpression: "SET shipped = :yes",
    ExpressionAttributeValues: { ":yes": true },
  };
  await document.send(new TransactWriteCommand({ TransactItems: [{ Put }, { Update }], ClientRequestToken: randomUUID() }));
  const { Responses } = await document.send(
    new TransactGetCommand({
      TransactItems: ["PROFILE", "ORDER#001", "NOWHERE"].map((SK) => ({ Get: { TableName, Key: { PK: "CUST#1", SK } } })),
    }),
  );
  assert.deepEqual(
    Responses.map(({ Item }) => Item && (Item.orders ?? Item.shipped)),
    [25, true, undefined],
  );
});

test("a cancelled transaction has a reason for each action", async () => {
  const ConditionCheck = {
    TableName,
    Key: { PK: "CUST#1", SK: "ORDER#002" },
    ConditionExpression: "attribute_not_exists(PK)",
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  };
  const Delete = { TableName, Key: { PK: "CUST#1", SK: "PROFILE" } };
  await assert.rejects(
    document.send(new TransactWriteCommand({ TransactItems: [{ Delete }, { ConditionCheck }] })),
    (cancelled) => {
      assert.ok(cancelled instanceof TransactionCanceledException);
      assert.deepEqual(
        cancelled.CancellationReasons.map((reason) => reason.Code),
        ["None", "ConditionalCheckFailed"],
      );
      assert.deepEqual(cancelled.CancellationReasons[1].Item.n, { N: "2" });
      return true;
    },
  );
});

test("a scan is paged", async () => {
  const pages = await every(paginateScan({ client: document, pageSize: 10 }, { TableName }));
  assert.deepEqual(pages.map((page) => page.Count), [10, 10, 6]);
});

test("a delete returns the old item", async () => {
  const { Attributes } = await document.send(
    new DeleteCommand({ TableName, Key: { PK: "CUST#1", SK: "ORDER#000" }, ReturnValues: "ALL_OLD" }),
  );
  assert.equal(Attributes.n, 0);
});

test("a table is deleted and waited for", async () => {
  await client.send(new DeleteTableCommand({ TableName }));
  const waited = await waitUntilTableNotExists({ client, maxWaitTime: 30 }, { TableName });
  assert.equal(waited.state, "SUCCESS");
});
