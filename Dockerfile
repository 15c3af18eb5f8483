# An image of a checkout: demo, tests and servers, run by a user without rights.
#
#   docker build -t websp .
#   docker run --rm --init websp                                  # websp demo
#   docker run --rm --init websp make test
#   docker run --rm --init -v "$PWD/runs:/home/websp/websp-gym/runs" websp websp run ...   # a folder that uid 1000 may write
#
# The server for trainers has an extra that does not go beside what the tests need:
#   docker build --build-arg EXTRAS=openenv -t websp-openenv .
#   docker run --rm --init -p 127.0.0.1:8000:8000 -e WEBSP_OPENENV_TOKEN=... websp-openenv websp serve-openenv --host 0.0.0.0
# websp_gym/trainers/openenv/Dockerfile is the same server as OpenEnv expects it, without the checkout.
#
# Chromium's own sandbox needs user namespaces, which Docker's default seccomp profile refuses; without them it is off, and
# `websp doctor` says so. Give the profile that Playwright publishes, Docker's default with clone, setns and unshare:
#   curl -fLO https://raw.githubusercontent.com/microsoft/playwright/v1.62.1/utils/docker/seccomp_profile.json
#   docker run --rm --init --security-opt seccomp=seccomp_profile.json websp websp doctor
# On a host that restricts user namespaces by AppArmor (Ubuntu 23.10 and later) add --security-opt apparmor=unconfined. Rootless
# Podman allows them as it is. No flag for /dev/shm is needed: Playwright starts Chromium with --disable-dev-shm-usage.
#
# Not run with Docker, nor were these flags: the packages, the installation, `websp doctor` and `websp demo` were run by hand
# as a user without rights on the same Debian release, with its Python 3.11, and Chromium's sandbox was on.
FROM python:3.12-slim-bookworm

RUN apt-get update \
    && apt-get install -y --no-install-recommends chromium chromium-headless-shell fonts-liberation git make \
    && rm -rf /var/lib/apt/lists/*

RUN useradd --create-home --uid 1000 websp
USER websp
WORKDIR /home/websp/websp-gym
COPY --chown=websp . .

ARG EXTRAS=dev
# The stamps are the Makefile's: `make test` installs nothing anew.
RUN python -m venv .venv \
    && .venv/bin/pip install --no-cache-dir --disable-pip-version-check -e ".[$EXTRAS]" -c constraints.txt \
    && touch .venv/.made .venv/.core .venv/.dev
ENV PATH=/home/websp/websp-gym/.venv/bin:$PATH

CMD ["websp", "demo"]
