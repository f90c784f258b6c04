"""The two clients' command lines: the same request from both."""

import base64
import csv
import json
import os
import subprocess
import time

TOPIC = "com.example.app"
KEY_ID = "ABC123DEFG"
TEAM_ID = "DEF123GHIJ"
TEMPLATE = ('{"aps":{"alert":{"title":"Hello {{name}}","body":"Your weekly summary is ready. '
            'Tap to see what is new."},"sound":"default"}}')


def make_rows(fanfare, folder, count):
    """`fanfare generate`'s rows, cut to token and name. Returns the file and the mean payload."""
    source = folder / f"generated-{count}.csv"
    target = folder / f"rows-{count}.csv"
    subprocess.run([fanfare, "generate", "--count", str(count), "--seed", "7",
                    "--output", source], check=True)
    name_bytes = 0
    with open(source, newline="") as rows, open(target, "w", newline="") as cut:
        writer = csv.writer(cut, lineterminator="\n")
        writer.writerow(["token", "name"])
        for row in csv.DictReader(rows):
            writer.writerow([row["token"], row["name"]])
            name_bytes += len(json.dumps(row["name"], ensure_ascii=False).encode()) - 2
    source.unlink()
    return target, round(len(TEMPLATE) - len("{{name}}") + name_bytes / count)


def make_credentials(folder, body_bytes):
    """Template and signing key for us; body and provider token of the same length for h2load."""
    (folder / "payload.json").write_text(TEMPLATE)
    subprocess.run(
        ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-out", folder / "AuthKey.p8"], check=True, stderr=subprocess.DEVNULL)
    name = "x" * (body_bytes - len(TEMPLATE) + len("{{name}}"))
    (folder / "body").write_text(TEMPLATE.replace("{{name}}", name))
    parts = [json.dumps({"alg": "ES256", "kid": KEY_ID}, separators=(",", ":")).encode(),
             json.dumps({"iss": TEAM_ID, "iat": int(time.time())}, separators=(",", ":")).encode(),
             os.urandom(64)]
    (folder / "token").write_text(
        ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts))


def send(fanfare, folder, rows, port, connections, streams, *more):
    return [str(word) for word in (
        fanfare, "send", rows, "--payload", folder / "payload.json", "--topic", TOPIC,
        "--push-type", "alert", "--key", folder / "AuthKey.p8", "--key-id", KEY_ID,
        "--team-id", TEAM_ID, "--endpoint", f"https://localhost:{port}",
        "--ca-file", folder / "server.pem", "--connections", connections, "--streams", streams,
        "--report", folder / "report.csv", "--overwrite", "--progress", "none",
        "--summary", "-", *more)]


def h2load(folder, port, connections, streams, requests):
    token = (folder / "token").read_text()
    return ["h2load", f"--requests={requests}", f"--clients={connections}",
            f"--max-concurrent-streams={streams}", "--threads=1", f"--data={folder / 'body'}",
            f"--header=authorization: bearer {token}",
            "--header=apns-id: 123e4567-e89b-42d3-a456-426614174000",
            f"--header=apns-topic: {TOPIC}", "--header=apns-push-type: alert",
            f"https://localhost:{port}/3/device/" + "63cbe1e459320dd7b8b4c2977eabce45" * 2]
