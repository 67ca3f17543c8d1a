// Create the tables of these scripts with the AWS SDK, because the libraries do not create tables.

import { CreateTableCommand, waitUntilTableExists } from "@aws-sdk/client-dynamodb";

const key = (partition, sort) => [
  { AttributeName: partition, KeyType: "HASH" },
  { AttributeName: sort, KeyType: "RANGE" },
];

/** A table with the keys `pk` and `sk`, and one index of everything, `gsi1`, by `gsi1pk` and `gsi1sk`. */
export async function createTable(client, TableName) {
  const names = ["pk", "sk", "gsi1pk", "gsi1sk"];
  await client.send(
    new CreateTableCommand({
      TableName,
      KeySchema: key("pk", "sk"),
      AttributeDefinitions: names.map((name) => ({ AttributeName: name, AttributeType: "S" })),
      GlobalSecondaryIndexes: [
        { IndexName: "gsi1", KeySchema: key("gsi1pk", "gsi1sk"), Projection: { ProjectionType: "ALL" } },
      ],
      BillingMode: "PAY_PER_REQUEST",
    }),
  );
  await waitUntilTableExists({ client, maxWaitTime: 30 }, { TableName });
}
