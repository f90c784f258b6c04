"""The two clients' command lines: the same request from both; and ours for messages to FCM."""

import base64
import csv
import json
import os
import subprocess
import time

TOPIC = "com.example.app"
KEY_ID = "ABC123DEFG"
TEAM_ID = "DEF123GHIJ"
H2LOAD_PATH = "/3/device/" + "63cbe1e459320dd7b8b4c2977eabce45" * 2
TEMPLATE = ('{"aps":{"alert":{"title":"Hello {{name}}","body":"Your weekly summary is ready. '
            'Tap to see what is new."},"sound":"default"}}')
# As many bytes for FCM. The row's token comes on top, which APNs has in the path.
MESSAGE = ('{"message":{"notification":{"title":"Hello {{name}}","body":"Your weekly summary is ready. '
           'Tap to see what is new. Enjoy!"}}}')
assert len(MESSAGE) == len(TEMPLATE)


def template(payload_bytes_max, name_bytes_max):
    """The template, filled up so that the payload with the longest name has so many bytes."""
    if payload_bytes_max is None:
        return TEMPLATE
    empty = TEMPLATE[:-1] + ',"fill":""}'
    missing = payload_bytes_max - (len(empty) - len("{{name}}") + name_bytes_max)
    if missing < 0:
        raise SystemExit(f"the largest payload cannot have fewer than {payload_bytes_max - missing} "
                         "bytes")
    return empty.replace('"fill":""', f'"fill":"{"x" * missing}"')


def make_rows(fanfare, folder, count, payload_bytes_max=None):
    """`fanfare generate`'s rows, cut to token and name. Returns the file and the mean payload.

    Writes the template, too.
    """
    target = folder / f"rows-{count}.csv"
    name_bytes, name_bytes_max = cut_rows(fanfare, target, count)
    text = template(payload_bytes_max, name_bytes_max)
    (folder / "payload.json").write_text(text)
    return target, round(len(text) - len("{{name}}") + name_bytes / count)


def make_messages(fanfare, folder, count):
    """The same rows with tokens of FCM. Returns the file; writes the message and an access token, too."""
    target = folder / f"rows-fcm-{count}.csv"
    cut_rows(fanfare, target, count, "--mix", "fcm")
    (folder / "message.json").write_text(MESSAGE)
    # As long as Google's are; the simulator takes any from who needs none.
    (folder / "access-token").write_text("ya29." + os.urandom(100).hex() + "\n")
    return target


def cut_rows(fanfare, target, count, *more):
    """Writes tokens and names of generated rows; returns the bytes of all names, and of the longest."""
    name_bytes = name_bytes_max = 0
    with subprocess.Popen([fanfare, "generate", "--count", str(count), "--seed", "7", *more],
                          stdout=subprocess.PIPE, text=True) as source, \
            open(target, "w", newline="") as cut:
        writer = csv.writer(cut, lineterminator="\n")
        writer.writerow(["token", "name"])
        for row in csv.DictReader(source.stdout):
            writer.writerow([row["token"], row["name"]])
            size = len(json.dumps(row["name"], ensure_ascii=False).encode()) - 2
            name_bytes += size
            name_bytes_max = max(name_bytes_max, size)
    if source.returncode != 0:
        raise SystemExit(f"{fanfare} generate ended with {source.returncode}")
    return name_bytes, name_bytes_max


def make_credentials(folder, body_bytes):
    """Signing key for us; body and provider token of the same length for h2load."""
    subprocess.run(
        ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-out", folder / "AuthKey.p8"], check=True, stderr=subprocess.DEVNULL)
    text = (folder / "payload.json").read_text()
    name = "x" * (body_bytes - len(text) + len("{{name}}"))
    (folder / "body").write_text(text.replace("{{name}}", name))
    parts = [json.dumps({"alg": "ES256", "kid": KEY_ID}, separators=(",", ":")).encode(),
             json.dumps({"iss": TEAM_ID, "iat": int(time.time())}, separators=(",", ":")).encode(),
             os.urandom(64)]
    (folder / "token").write_text(
        ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts))


# What nghttpd answers is no verdict of a provider's: without this a row would be sent again.
NGHTTPD_ANSWERS = ["--max-attempts", "1"]


def send(fanfare, folder, rows, port, connections, streams, *more, cleartext=False):
    """`fanfare send`; without a number of connections or streams it has its own."""
    server = (["--endpoint", f"http://127.0.0.1:{port}"] if cleartext else
              ["--endpoint", f"https://localhost:{port}", "--ca-file", folder / "server.pem"])
    return [str(word) for word in (
        fanfare, "send", rows, "--payload", folder / "payload.json", "--topic", TOPIC,
        "--push-type", "alert", "--key", folder / "AuthKey.p8", "--key-id", KEY_ID,
        "--team-id", TEAM_ID, *server,
        *(["--connections", connections] if connections else []),
        *(["--streams", streams] if streams else []),
        "--report", folder / "report.csv", "--overwrite", "--progress", "none",
        "--summary", "-", *more)]


def send_messages(fanfare, folder, rows, port, connections, streams, *more):
    """The same to FCM, with an access token of another program's."""
    return [str(word) for word in (
        fanfare, "send", rows, "--provider", "fcm", "--payload", folder / "message.json",
        "--access-token-file", folder / "access-token", "--project", "fanfare-simulator",
        "--endpoint", f"https://localhost:{port}", "--ca-file", folder / "server.pem",
        *(["--connections", connections] if connections else []),
        *(["--streams", streams] if streams else []),
        "--report", folder / "report.csv", "--overwrite", "--progress", "none",
        "--summary", "-", *more)]


def check(fanfare, folder, rows):
    """One thread renders and validates, and nothing is written but the summary."""
    return [str(word) for word in (
        fanfare, "check", rows, "--payload", folder / "payload.json", "--topic", TOPIC,
        "--lanes", "1", "--progress", "none", "--summary", "-")]


def h2load(folder, port, connections, streams, requests, threads=1, cleartext=False):
    token = (folder / "token").read_text()
    server = f"http://127.0.0.1:{port}" if cleartext else f"https://localhost:{port}"
    return ["h2load", f"--requests={requests}", f"--clients={connections}",
            f"--max-concurrent-streams={streams}", f"--threads={threads}", f"--data={folder / 'body'}",
            f"--header=authorization: bearer {token}",
            "--header=apns-id: 123e4567-e89b-42d3-a456-426614174000",
            f"--header=apns-topic: {TOPIC}", "--header=apns-push-type: alert",
            server + H2LOAD_PATH]
