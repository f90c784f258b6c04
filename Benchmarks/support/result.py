"""Numbers to show and to keep."""

import contextlib
import json
import os
import platform
import statistics
import subprocess
from datetime import datetime, timezone
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FANFARE = ROOT / ".build/release/fanfare"


def spread(values):
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def first_line(*command):
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    return (done.stdout or done.stderr).strip().split("\n")[0]


def processor():
    """The model's name; on machines whose kernel tells none, "unknown"."""
    with contextlib.suppress(OSError), open("/proc/cpuinfo") as lines:
        for line in lines:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return "unknown"


def environment():
    changed = first_line("git", "status", "--porcelain", "--untracked-files=no", "--", "Sources")
    return {
        "time": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "commit": first_line("git", "rev-parse", "--short", "HEAD") + ("+" if changed else ""),
        "cores": os.cpu_count(), "processor": processor(),
        "kernel": platform.release(), "machine": platform.machine(),
        "load": os.getloadavg()[0],
        "swift": first_line("swift", "--version"), "h2load": first_line("h2load", "--version"),
        "openssl": first_line("openssl", "version"),
    }


def kept(name):
    """The last result of a name, empty if there is none."""
    with contextlib.suppress(OSError):
        return json.loads((ROOT / "Benchmarks/results" / f"{name}.json").read_text())
    return {}


def keep(name, content):
    """Writes a result under Benchmarks/results; the last one of a name stays."""
    path = ROOT / "Benchmarks/results" / f"{name}.json"
    path.parent.mkdir(exist_ok=True)
    document = {"schema": f"fanfare-benchmark-{name}/1", "environment": environment(), **content}
    path.write_text(json.dumps(document, indent=2) + "\n")
    print(f"written to {path.relative_to(ROOT)}")
