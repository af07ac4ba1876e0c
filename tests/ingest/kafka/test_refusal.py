"""What a broker says as it hangs up is heard, however late it is looked at."""

import socket

from kafka.net.selector import NetworkSelector
from kafka.net.transport import KafkaTCPTransport

from monitor.ingest.kafka.client import heard_out


def test_what_comes_together_with_the_end_is_given_before_it() -> None:
    ours, brokers = socket.socketpair()
    ours.setblocking(False)
    net = NetworkSelector()
    transport = heard_out(KafkaTCPTransport(net, ours, host="127.0.0.1"))
    try:
        brokers.sendall(b"you are not who you say")
        brokers.close()
        assert transport._sock_recv() == (b"you are not who you say", None)
        data, end = transport._sock_recv()
        assert (data, str(end)) == (b"", "KafkaConnectionError: socket disconnected")
    finally:
        transport.abort()
        net.close()
