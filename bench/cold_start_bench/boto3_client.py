"""Cold start of a plain boto3 client, without any model."""

from bench.cold_start_bench.steps import CUSTOMER, TABLE, URL, Stopwatch

watch = Stopwatch()
import boto3  # type: ignore[import-untyped]  # noqa: E402  # the first step

watch.step()
watch.step()  # no model
client = boto3.client("dynamodb", endpoint_url=URL)
watch.step()
watch.finish(client.get_item(TableName=TABLE, Key=CUSTOMER)["Item"]["name"]["S"])
