"""A server that returns the same kilobyte to every request. It shows the limit of the load generator.

python -m bench.engine_bench.responder PORT
"""

from __future__ import annotations

import select
import socket
import sys

# This is also a valid response to ListTables, which the benchmark sends until a server has started.
BODY = b'{"TableNames":[],"Item":{"note":{"S":"' + b"x" * 1_024 + b'"}}}'
RESPONSE = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: %d\r\n\r\n" % len(BODY) + BODY
)


def serve(port: int) -> None:
    """Respond to every request that arrives in one piece. Requests for single items do."""
    with socket.create_server(("127.0.0.1", port), backlog=64) as listener:
        poller = select.poll()
        poller.register(listener, select.POLLIN)
        connections: dict[int, socket.socket] = {}
        while True:
            for descriptor, _ in poller.poll():
                if descriptor == listener.fileno():
                    connection, _ = listener.accept()
                    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    connections[connection.fileno()] = connection
                    poller.register(connection, select.POLLIN)
                elif connections[descriptor].recv(65_536):
                    connections[descriptor].sendall(RESPONSE)
                else:
                    poller.unregister(descriptor)
                    connections.pop(descriptor).close()


if __name__ == "__main__":
    serve(int(sys.argv[1]))
