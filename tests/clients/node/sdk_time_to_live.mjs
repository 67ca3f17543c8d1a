// The AWS SDK for JavaScript v3: enable, describe and disable time to live.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  UpdateTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb";

const TableName = "js-sdk-time-to-live";
const client = new DynamoDBClient({});

test("time to live is enabled and described", async () => {
  await client.send(
    new CreateTableCommand({
      TableName,
      KeySchema: [{ AttributeName: "PK", KeyType: "HASH" }],
      AttributeDefinitions: [{ AttributeName: "PK", AttributeType: "S" }],
      BillingMode: "PAY_PER_REQUEST",
    }),
  );
  const TimeToLiveSpecification = { AttributeName: "expires", Enabled: true };
  const set = await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
  assert.deepEqual(set.TimeToLiveSpecification, TimeToLiveSpecification);
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
  assert.equal(TimeToLiveDescription.AttributeName, "expires");
  assert.match(TimeToLiveDescription.TimeToLiveStatus, /^ENABL(ING|ED)$/);
  await client.send(new DeleteTableCommand({ TableName }));
});
