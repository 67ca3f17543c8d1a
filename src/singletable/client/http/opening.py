"""`http://HOST:PORT` and `https://HOST`: a server that is named by its address."""

from __future__ import annotations

import os

from singletable.client.http.address import read_address, refuse_unknown
from singletable.client.http.keys import ANY_KEYS, FixedKeys, KeySource, keys_of, region_of
from singletable.client.http.signer import Signer
from singletable.client.http.transport import HttpTransport
from singletable.client.policy import Timeouts


def open_address(url: str, timeouts: Timeouts) -> HttpTransport:
    """The transport to an address.

    It signs with the access key of the URL or of the profile it names, else of the environment, else with one that
    servers at home take.
    """
    address, given, options = read_address(url)
    refuse_unknown(options, ("profile", "region"), url)
    source: KeySource
    if "profile" in options:
        from singletable.client.http.aws import BotocoreSettings

        source = BotocoreSettings(options["profile"]).keys()
    else:
        source = FixedKeys(given or keys_of(os.environ) or ANY_KEYS)
    region = options.get("region") or region_of(os.environ)
    return HttpTransport(address, Signer(address.authority, region, source), timeouts)
