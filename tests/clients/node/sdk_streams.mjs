// The AWS SDK for JavaScript v3: the stream of a table, read from its beginning.

import assert from "node:assert/strict";
import { test } from "node:test";
import { CreateTableCommand, DeleteTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
} from "@aws-sdk/client-dynamodb-streams";
import { DeleteCommand, DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";

const TableName = "js-sdk-streams";
const client = new DynamoDBClient({});
const document = DynamoDBDocumentClient.from(client);
const streams = new DynamoDBStreamsClient({});

test("a stream returns the writes in order", async () => {
  const { TableDescription } = await client.send(
    new CreateTableCommand({
      TableName,
      KeySchema: [{ AttributeName: "PK", KeyType: "HASH" }],
      AttributeDefinitions: [{ AttributeName: "PK", AttributeType: "S" }],
      BillingMode: "PAY_PER_REQUEST",
      StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" },
    }),
  );
  const StreamArn = TableDescription.LatestStreamArn;
  await document.send(new PutCommand({ TableName, Item: { PK: "a", n: 1 } }));
  await document.send(new PutCommand({ TableName, Item: { PK: "a", n: 2 } }));
  await document.send(new DeleteCommand({ TableName, Key: { PK: "a" } }));

  const { Streams } = await streams.send(new ListStreamsCommand({ TableName }));
  assert.deepEqual(Streams.map((stream) => stream.StreamArn), [StreamArn]);
  const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }));
  const [{ ShardId }] = StreamDescription.Shards;
  const { ShardIterator } = await streams.send(
    new GetShardIteratorCommand({ StreamArn, ShardId, ShardIteratorType: "TRIM_HORIZON" }),
  );
  const { Records } = await streams.send(new GetRecordsCommand({ ShardIterator }));
  assert.deepEqual(Records.map((record) => record.eventName), ["INSERT", "MODIFY", "REMOVE"]);
  assert.deepEqual(Records[1].dynamodb.OldImage.n, { N: "1" });
  assert.deepEqual(Records[1].dynamodb.NewImage.n, { N: "2" });
  await client.send(new DeleteTableCommand({ TableName }));
});
