"""Cold start of singletable with the shop as dataclasses."""

from bench.cold_start_bench.steps import URL, Stopwatch

watch = Stopwatch()
import singletable  # noqa: E402, F401  # the first step

watch.step()
from bench.cold_start_bench.shop_dataclasses import Shop  # noqa: E402  # part of a measured step

watch.step()
shop = Shop.open(URL, check=False)
watch.step()
customer = shop.customer("c1")
watch.finish(None if customer is None else customer.name)
