"""The driftd daemon: from logged interactions to an alert. Start reading at `app.py`, then docs/architecture.md."""

import os

# Before numpy: the matrices are small, and the second thread of OpenBLAS waits with a full core.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
