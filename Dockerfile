# Never built or run by a container engine; hadolint alone has read it.
#
# Three images from one build: `web` serves traces as the user nobody, `recorder` records the host and needs its privileges, `watch` is for
# packaging/kubernetes: a bare Debian with the Debian package, which is what `make deb-check` installs and uses.
#   docker build --target web -t wastenot-web .
#   docker build --target recorder -t wastenot-recorder .
#   docker build --target watch -t wastenot-watch --build-arg SOURCE_DATE_EPOCH="$(git log -1 --format=%ct)" .

FROM debian:12.12-slim AS build
SHELL ["/bin/bash", "-euo", "pipefail", "-c"]
WORKDIR /src
# Versions follow the release of the base image, which is pinned.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates git make python3 python3-venv \
    && rm -rf /var/lib/apt/lists/*
COPY . .
RUN make build dist

FROM build AS package
ARG SOURCE_DATE_EPOCH
RUN scripts/deb

FROM debian:12.12-slim AS watch
RUN --mount=type=bind,from=package,source=/src/dist,target=/dist \
    apt-get update \
    && apt-get install -y --no-install-recommends /dist/wastenot_*.deb \
    && rm -rf /var/lib/apt/lists/*
# Root's files are read, and capabilities of another user would not reach the program; the pod's manifest drops the others.
ENTRYPOINT ["wastenot", "watch"]

FROM python:3.13.9-slim-bookworm AS installed
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends libbabeltrace2-0 libopen-trace-format2-10 \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /src/dist /dist
RUN pip install --no-cache-dir /dist/*.whl && rm -rf /dist

FROM installed AS web
RUN useradd --system --uid 10001 --home-dir /traces --shell /usr/sbin/nologin wastenot \
    && install --directory --owner 10001 /traces
USER 10001
WORKDIR /traces
EXPOSE 8470
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8470/api/health', timeout=2)"]
# The token comes in the environment: WASTENOT_TOKEN.
ENTRYPOINT ["wastenot", "serve", "/traces", "--host", "0.0.0.0", "--upload-dir", "/traces"]

FROM installed AS recorder
WORKDIR /traces
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s CMD ["wastenot", "doctor"]
ENTRYPOINT ["wastenot"]
CMD ["record", "-o", "/traces/recording.duckdb", "--for", "10s"]
