// The AWS SDK for JavaScript v3: PartiQL statements, single, in a batch and in a transaction.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  CreateTableCommand,
  DeleteTableCommand,
  DuplicateItemException,
  DynamoDBClient,
  TransactionCanceledException,
} from "@aws-sdk/client-dynamodb";
import {
  BatchExecuteStatementCommand,
  DynamoDBDocumentClient,
  ExecuteStatementCommand,
  ExecuteTransactionCommand,
} from "@aws-sdk/lib-dynamodb";

const TableName = "js-sdk-partiql";
const client = new DynamoDBClient({});
const document = DynamoDBDocumentClient.from(client);
const insert = (PK, n) => ({ Statement: `INSERT INTO "${TableName}" VALUE {'PK': ?, 'n': ?}`, Parameters: [PK, n] });
const select = (PK) => ({ Statement: `SELECT * FROM "${TableName}" WHERE PK = ?`, Parameters: [PK] });

test("a table is created", async () => {
  await client.send(
    new CreateTableCommand({
      TableName,
      KeySchema: [{ AttributeName: "PK", KeyType: "HASH" }],
      AttributeDefinitions: [{ AttributeName: "PK", AttributeType: "S" }],
      BillingMode: "PAY_PER_REQUEST",
    }),
  );
});

test("an item is inserted once", async () => {
  await document.send(new ExecuteStatementCommand(insert("a", 1)));
  await assert.rejects(document.send(new ExecuteStatementCommand(insert("a", 2))), DuplicateItemException);
});

test("an item is updated, selected and deleted", async () => {
  const update = { Statement: `UPDATE "${TableName}" SET n = n + 1 WHERE PK = ? RETURNING ALL NEW *`, Parameters: ["a"] };
  const { Items } = await document.send(new ExecuteStatementCommand(update));
  assert.deepEqual(Items, [{ PK: "a", n: 2 }]);
  const selected = await document.send(new ExecuteStatementCommand(select("a")));
  assert.deepEqual(selected.Items, [{ PK: "a", n: 2 }]);
  await document.send(
    new ExecuteStatementCommand({ Statement: `DELETE FROM "${TableName}" WHERE PK = ?`, Parameters: ["a"] }),
  );
  assert.deepEqual((await document.send(new ExecuteStatementCommand(select("a")))).Items, []);
});

test("a batch returns a result for each statement", async () => {
  await document.send(new ExecuteStatementCommand(insert("b", 1)));
  const Statements = [insert("b", 2), insert("c", 3)];
  const { Responses } = await document.send(new BatchExecuteStatementCommand({ Statements }));
  assert.deepEqual(
    Responses.map((response) => response.Error?.Code),
    ["DuplicateItem", undefined],
  );
});

test("a transaction executes all statements or none", async () => {
  const TransactStatements = [insert("d", 1), insert("b", 2)];
  await assert.rejects(document.send(new ExecuteTransactionCommand({ TransactStatements })), (cancelled) => {
    assert.ok(cancelled instanceof TransactionCanceledException);
    assert.deepEqual(
      cancelled.CancellationReasons.map((reason) => reason.Code),
      ["None", "DuplicateItem"],
    );
    return true;
  });
  assert.deepEqual((await document.send(new ExecuteStatementCommand(select("d")))).Items, []);
  await client.send(new DeleteTableCommand({ TableName }));
});
