"""Valid requests for the actions on table settings and the account, and the actions that always fail."""

from __future__ import annotations

from singletable.engine.dispatch import UNSUPPORTED_ACTIONS
from tests.engine.table_requests import Document

_ARN = {"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/table"}

# Further settings of a new table.
SETTINGS: Document = {
    "TableClass": "STANDARD_INFREQUENT_ACCESS",
    "WarmThroughput": {"ReadUnitsPerSecond": 12_000, "WriteUnitsPerSecond": 4_001},
    "SSESpecification": {"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": "alias/key"},
    "ResourcePolicy": '{"Statement": {"Effect": "Allow"}}',
}

SETTING_REQUESTS: dict[str, Document] = {
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
ALWAYS_REFUSED = {f"DynamoDB_20120810.{action}" for action in (*UNSUPPORTED_ACTIONS, *_FINDS_NONE)} | {
    "Singletable.MostAccessedKeys"  # Contributor Insights is disabled for these tables
}
