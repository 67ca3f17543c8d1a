"""A server that answers anything with the same kilobyte at once: what the load generator can do at most.

python -m bench.engine_bench.responder PORT
"""

from __future__ import annotations

import select
import socket
import sys

# It also is the answer to ListTables, with which a server shows that it has started.
BODY = b'{"TableNames":[],"Item":{"note":{"S":"' + b"x" * 1_024 + b'"}}}'
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: %d\r\n\r\n" % len(BODY) + BODY


def serve(port: int) -> None:
    """Answers every request that arrives whole in one piece, as those of the rows with single items do."""
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
                    connections[descriptor].sendall(ANSWER)
                else:
                    poller.unregister(descriptor)
                    connections.pop(descriptor).close()


if __name__ == "__main__":
    serve(int(sys.argv[1]))
