"""Cold start of singletable with a boto3 client as its transport."""

from bench.cold_start_bench.steps import URL, Stopwatch

watch = Stopwatch()
import boto3  # type: ignore[import-untyped]  # noqa: E402  # the first step

import singletable  # noqa: E402, F401  # part of a measured step

watch.step()
from bench.cold_start_bench.shop_dataclasses import Shop  # noqa: E402  # part of a measured step

watch.step()
shop = Shop.open(boto3.client("dynamodb", endpoint_url=URL), check=False)
watch.step()
customer = shop.customer("c1")
watch.finish(None if customer is None else customer.name)
