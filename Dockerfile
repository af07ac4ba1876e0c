# One image for the daemon and the dashboard. The root file system can be read-only: only /tmp and /var/lib/driftd are written.
# podman build -t driftd . , or docker build -t driftd .
# With a lake (docs/scale.md): docker build --target lake -t driftd:lake . has the DuckDB for which its extensions exist.
ARG BASE=docker.io/library/python:3.11-slim-bookworm

FROM ${BASE} AS build
ARG PIP_CERT
WORKDIR /src
COPY requirements.lock requirements-build.lock ./
RUN python3 -m venv /opt/driftd \
 && /opt/driftd/bin/pip install --no-cache-dir --disable-pip-version-check --no-deps --require-hashes -r requirements.lock
RUN python3 -m venv /opt/build \
 && /opt/build/bin/pip install --no-cache-dir --disable-pip-version-check --no-deps --require-hashes -r requirements-build.lock
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY monitor monitor
COPY replay replay
COPY dashboards dashboards
COPY docs docs
COPY deploy deploy
COPY examples examples
RUN /opt/build/bin/python -m build --wheel --no-isolation --outdir /dist . \
 && /opt/driftd/bin/pip install --no-cache-dir --disable-pip-version-check --no-deps /dist/driftd-*.whl \
 && /opt/driftd/bin/pip uninstall --yes --quiet pip

FROM build AS build-lake
ARG PIP_CERT
COPY requirements-duckdb-1.5.5.lock ./
RUN /opt/build/bin/pip --python /opt/driftd/bin/python install --no-cache-dir --disable-pip-version-check --no-deps --require-hashes \
    -r requirements-duckdb-1.5.5.lock

FROM ${BASE} AS base
RUN useradd --uid 10001 --user-group --no-create-home --home-dir /tmp --shell /usr/sbin/nologin driftd \
 && install -d -o driftd -g driftd -m 0700 /var/lib/driftd \
 && install -d -m 0755 /etc/driftd
ENV PATH=/opt/driftd/bin:$PATH HOME=/tmp PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
USER 10001:10001
WORKDIR /var/lib/driftd
VOLUME /var/lib/driftd
# API, OTLP/HTTP, OTLP/gRPC and dashboard.
EXPOSE 8400 4318 4317 8501
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=6 \
    CMD ["python3", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8400/healthz', timeout=4)"]
ENTRYPOINT ["driftd"]
CMD ["serve", "--config", "/etc/driftd/driftd.yaml"]

FROM base AS lake
COPY --from=build-lake /opt/driftd /opt/driftd

# The last stage is the image without --target.
FROM base
COPY --from=build /opt/driftd /opt/driftd
