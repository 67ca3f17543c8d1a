"""A valid request for each action around the tables, and the actions that refuse every request."""

from __future__ import annotations

from singletable.engine.dispatch import NOT_SERVED
from tests.engine.tables import Document

_ARN = {"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/table"}

# What a new table can be given beside its keys and indexes.
SETTINGS: Document = {
    "TableClass": "STANDARD_INFREQUENT_ACCESS",
    "WarmThroughput": {"ReadUnitsPerSecond": 12_000, "WriteUnitsPerSecond": 4_001},
    "SSESpecification": {"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": "alias/key"},
    "ResourcePolicy": '{"Statement": {"Effect": "Allow"}}',
}

SURROUNDINGS: dict[str, Document] = {
    "TagResource": {**_ARN, "Tags": [{"Key": "team", "Value": "orders"}]},
    "UntagResource": {**_ARN, "TagKeys": ["team", "env"]},
    "ListTagsOfResource": {**_ARN},
    "PutResourcePolicy": {
        **_ARN,
        "Policy": '{"Statement": [{"Effect": "Allow"}]}',
        "ExpectedRevisionId": "NO_POLICY",
        "ConfirmRemoveSelfResourceAccess": True,
    },
    "DeleteResourcePolicy": {**_ARN, "ExpectedRevisionId": "NO_POLICY"},
    "UpdateContributorInsights": {
        "TableName": "table",
        "IndexName": "gsi",
        "ContributorInsightsAction": "ENABLE",
        "ContributorInsightsMode": "THROTTLED_KEYS",
    },
    "DescribeContributorInsights": {"TableName": "table", "IndexName": "gsi"},
    "ListContributorInsights": {"TableName": "table", "MaxResults": 5, "NextToken": "table/gsi"},
    "DescribeLimits": {},
    "DescribeEndpoints": {},
    "DescribeKinesisStreamingDestination": {"TableName": "table"},
    "ListGlobalTables": {"Limit": 5, "RegionName": "us-east-1"},
}

MAY_BE_EMPTY = {
    "ListTables",
    "ListGlobalTables",
    "ListContributorInsights",
    "ListBackups",
    "ListExports",
    "ListImports",
    "DescribeLimits",
    "DescribeEndpoints",
}

_FINDS_NONE = (
    "GetResourcePolicy",  # the tables of these tests have no policy
    "DescribeGlobalTable",
    "DescribeGlobalTableSettings",
    "DescribeTableReplicaAutoScaling",
)
ALWAYS_REFUSED = {f"DynamoDB_20120810.{action}" for action in (*NOT_SERVED, *_FINDS_NONE)} | {
    "Singletable.MostAccessedKeys"  # nobody counts their keys
}
