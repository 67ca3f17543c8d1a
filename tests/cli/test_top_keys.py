"""`singletable top-keys`: the keys of a served table, with signed requests where the server requires them."""

from __future__ import annotations

import json

from tests.cli.program import environment, refused, singletable
from tests.cli.test_serve import TABLE, serve

KEY = ("letmein", "secret")


def test_the_top_keys_command_shows_the_keys_of_a_served_table() -> None:
    with serve("--json") as running:
        client = running.client()
        client.create_table(**TABLE)
        client.update_contributor_insights(TableName="shop", ContributorInsightsAction="ENABLE")
        for key in ("a", "b", "b"):
            client.put_item(TableName="shop", Item={"pk": {"S": key}})
        done = singletable("top-keys", "shop", "--endpoint", running.ready["url"])
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == "Most accessed partition keys\nunits  key\n-----  ----\n2      pk=b\n1      pk=a\n"
        done = singletable("top-keys", "shop", "--endpoint", running.ready["url"], "--count", "1", "--json")
        (most,) = json.loads(done.stdout)["Accessed"]["PartitionKeys"]
        assert most == {"Key": {"pk": {"S": "b"}}, "Amount": 2.0, "Excess": 0.0}


def test_the_top_keys_command_signs_requests_for_a_server_with_access_keys() -> None:
    with serve("--json", "--access-key", ":".join(KEY)) as running:
        client = running.client(KEY)
        client.create_table(**TABLE)
        client.update_contributor_insights(TableName="shop", ContributorInsightsAction="ENABLE")
        asked = ("top-keys", "shop", "--endpoint", running.ready["url"])
        env = environment(AWS_ACCESS_KEY_ID="", AWS_SECRET_ACCESS_KEY="")
        assert "missing Authentication Token" in refused(singletable(*asked, env=env))
        assert "does not match" in refused(singletable(*asked, "--access-key", "letmein:wrong"))
        done = singletable(*asked, "--access-key", ":".join(KEY))
        assert done.stdout == "No key was accessed since counting started.\n"
        env = environment(AWS_ACCESS_KEY_ID=KEY[0], AWS_SECRET_ACCESS_KEY=KEY[1])
        assert singletable(*asked, env=env).returncode == 0


def test_the_top_keys_command_prints_errors_as_messages() -> None:
    with serve("--json") as running:
        running.client().create_table(**TABLE)
        said = refused(singletable("top-keys", "shop", "--endpoint", running.ready["url"]))
        assert "enable Contributor Insights" in said
        url = running.ready["url"]
    assert "Start one with: singletable serve" in refused(singletable("top-keys", "shop", "--endpoint", url))
    assert "is not a valid endpoint" in refused(singletable("top-keys", "shop", "--endpoint", "127.0.0.1:8000"))
    assert "write ID:SECRET" in refused(singletable("top-keys", "shop", "--access-key", "nothing"))
