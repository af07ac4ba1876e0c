"""Count under a lease: `python -m tests.store.lake.lease_holder URL DATA RENEW_S EXPIRES_S`.

Each step reads how many rows a large table has, and then appends a row with the next number to it and to a control
table. Two processes that count at the same time would write a number twice. It prints its epoch and each number.
"""

import sys
from random import Random
from time import sleep

from monitor.clock import SystemClock
from monitor.errors import LeaseLost, StoreUnavailable
from monitor.store.engine.database import Store
from monitor.store.engine.schema import TABLES, table_of
from monitor.store.engine.transaction import Tx
from tests.store.build import START
from tests.store.lake.lakes import place

LEASE = "control"


def main(url: str, data: str, renew_s: float, expires_s: float) -> None:
    store = Store.open(url, data=place(data), clock=SystemClock())
    lease = store.lease(LEASE, renew_s=renew_s, expires_s=expires_s)
    leased, rng = store.under(lease), Random()
    lease.start()
    say("ready")
    led = False
    while True:
        with lease.step() as leads:
            if led and not leads:
                say("lost")
            led = leads
            if not leads:
                sleep(0.02)
                continue
            try:
                epoch, number = lease.epoch, count(leased)
                sleep(rng.uniform(0, 0.05))
                with leased.write() as tx:
                    append(tx, number)
                    sleep(rng.uniform(0, 0.05))
                    tx.insert("replay_spend", table_of(TABLES["replay_spend"], [spend(number)]))
                    sleep(rng.uniform(0, 0.05))
            except LeaseLost:
                say("refused")
            except StoreUnavailable:
                say("unavailable")
            else:
                say(f"{epoch} {number}")


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def count(store: Store) -> int:
    with store.read() as tx:
        [(rows,)] = tx._cursor.execute("SELECT count(*) FROM case_replay").fetchall()
    return int(rows)


def append(tx: Tx, number: int) -> None:
    row = {
        "at": START,
        "kind": "run",
        "deployment": "d",
        "set_name": "s",
        "revision": "r",
        "run_id": "run",
        "provider": "p",
        "model": "m",
        "case_id": str(number),
        "calls": 1,
    }
    tx.insert("case_replay", table_of(TABLES["case_replay"], [row]))


def spend(number: int) -> dict[str, object]:
    return {"run_id": str(number), "deployment": "d", "at": START, "requests": 1, "open": 0, "tokens": 0, "usd": 0.0}


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4]))
