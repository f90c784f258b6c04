# An image with fanfare and what it loads, and nothing else of the build.
#
#   docker build --tag fanfare .
#   docker run --rm --volume "$PWD:/data" --user "$(id -u):$(id -g)" fanfare send rows.csv …

FROM swift:6.2-bookworm AS build
WORKDIR /src
# The packages alone first, so that a change of the sources does not install them anew.
COPY dev/setup dev/setup
RUN dev/setup && rm -rf /var/lib/apt/lists/*
COPY . .
RUN make install DESTDIR=/stage PREFIX=/usr/local

FROM debian:bookworm-slim
# By the names of the release that the first stage is built on: the libraries that dev/setup has the
# headers of, the authorities that Apple's certificate is from, and time zones for --window.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends \
        ca-certificates libgcc-s1 libnghttp2-14 libsimdjson14 libsqlite3-0 libssl3 libstdc++6 libuv1 \
        libzstd1 tzdata zlib1g \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /stage/usr/local /usr/local
# A user without files; --user makes it the owner of the files.
RUN useradd --system --uid 10001 --create-home --home-dir /data fanfare
USER 10001
WORKDIR /data
# Docker's own would be SIGTERM as well; said because answers are waited for.
STOPSIGNAL SIGTERM
ENTRYPOINT ["fanfare"]
CMD ["--help"]
