# A hall in a container: docker build -t cuemarker . && docker run -p 8080:8080 -v hall:/var/lib/cuemarker cuemarker
# The hall file is /var/lib/cuemarker/hall.toml with host = "0.0.0.0"; USB cameras need --device /dev/video0.
FROM python:3.13-slim-bookworm

ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONUNBUFFERED=1

RUN useradd --system --uid 10001 --create-home --home-dir /var/lib/cuemarker cuemarker

WORKDIR /opt/cuemarker
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY scoring scoring
COPY calibration calibration
COPY hardware hardware
COPY vision vision
COPY server server
RUN pip install '.[mqtt]' -c constraints.txt

USER cuemarker
WORKDIR /var/lib/cuemarker
VOLUME /var/lib/cuemarker
EXPOSE 8080
STOPSIGNAL SIGTERM
# Alive is who answers at all: a camera that is off must not have the hall started anew.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
  CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8080/api/session', timeout=4)"]
ENTRYPOINT ["cuemarker"]
CMD ["serve", "--config", "hall.toml"]
