"""The large tables: they grow with the traffic and with the replies of models. A lake stores them as Parquet files.

All other tables are control tables, which a lake stores in PostgreSQL.
"""

from typing import Final

from monitor.store.engine.append_only import APPEND_ONLY

LARGE: Final = APPEND_ONLY - {"reveal_log"}
