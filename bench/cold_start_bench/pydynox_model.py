"""Cold start of pydynox with one model."""

from bench.cold_start_bench.steps import TABLE, URL, Stopwatch

watch = Stopwatch()
from pydynox import DynamoDBClient, Model, ModelConfig  # noqa: E402  # the first step
from pydynox.attributes import StringAttribute  # noqa: E402  # part of a measured step

watch.step()


class Customer(Model):
    """A customer of the shop; pydynox has no key templates."""

    model_config = ModelConfig(table=TABLE)

    PK = StringAttribute(partition_key=True)
    SK = StringAttribute(sort_key=True)
    id = StringAttribute()
    name = StringAttribute()
    email = StringAttribute()
    created_at = StringAttribute()


watch.step()
Customer.model_config.client = DynamoDBClient(region="us-east-1", endpoint_url=URL)
watch.step()
customer = Customer.sync_get(PK="CUST#c1", SK="METADATA")
watch.finish(None if customer is None else customer.name)
