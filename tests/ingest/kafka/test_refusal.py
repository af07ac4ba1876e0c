"""The last message of a broker is received although the connection ends with it."""

import socket

from kafka.net.selector import NetworkSelector
from kafka.net.transport import KafkaTCPTransport

from monitor.ingest.kafka.client import with_last_data


def test_data_that_arrives_with_the_end_is_returned_before_it() -> None:
    ours, brokers = socket.socketpair()
    ours.setblocking(False)
    net = NetworkSelector()
    transport = with_last_data(KafkaTCPTransport(net, ours, host="127.0.0.1"))
    try:
        brokers.sendall(b"you are not who you say")
        brokers.close()
        assert transport._sock_recv() == (b"you are not who you say", None)
        data, end = transport._sock_recv()
        assert (data, str(end)) == (b"", "KafkaConnectionError: socket disconnected")
    finally:
        transport.abort()
        net.close()
