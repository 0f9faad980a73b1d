"""Makes first inputs of targets from the vectors and the examples: content after a signature, and files of several parts.

usage: seeds.py FOLDER   (writes FOLDER/TARGET/…)
"""

import gzip
import hashlib
import json
import pathlib
import struct
import sys

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

ROOT = pathlib.Path(__file__).resolve().parent.parent
VECTORS = ROOT / "Tests" / "Vectors"


def main(folder):
    key = bytes.fromhex((VECTORS / "keys" / "script.key").read_text())
    for target in ("zip", "manifest"):
        (folder / target).mkdir(parents=True, exist_ok=True)
    for path in sorted(VECTORS.glob("*/*.js")):
        payload = path.read_bytes().rpartition(b"\n--patchpack-envelope-1 ")[0]
        if len(payload) < 32 or len(payload) % 16 or len(payload) > 1 << 16:
            continue
        decryptor = Cipher(algorithms.AES(key), modes.CBC(payload[:16])).decryptor()
        plain = decryptor.update(payload[16:]) + decryptor.finalize()
        archive = plain[:-plain[-1]]
        if archive[:2] != b"PK":
            continue
        name = "-".join(path.with_suffix("").parts[-2:])
        (folder / "zip" / name).write_bytes(archive)
        if path.parent.name in ("manifest", "accepted"):
            size, length = struct.unpack_from("<I", archive, 18)[0], struct.unpack_from("<H", archive, 26)[0]
            (folder / "manifest" / name).write_bytes(archive[30 + length:30 + length + size])


def feed(folder):
    """The metadata of feeds that a client must accept or refuse."""
    vectors = json.loads((VECTORS / "feed.json").read_text())
    (folder / "metadata").mkdir(parents=True, exist_ok=True)
    for number, case in enumerate([{"change": vectors["base"]}, *vectors["cases"]]):
        for path, text in case["change"].items():
            if text is not None:
                name = f"{number}-{pathlib.PurePath(path).name}"
                (folder / "metadata" / name).write_bytes(text.encode())
                # The signed part on its own: the target signs it again.
                try:
                    (folder / "metadata" / f"{name}-signed").write_text(json.dumps(json.loads(text)["signed"]))
                except (ValueError, KeyError):
                    pass


def events(folder):
    """Lines of event logs, of each kind."""
    (folder / "events").mkdir(parents=True, exist_ok=True)
    def line(name, device, **attributes):
        return json.dumps({"schema": "patchpack.event/1", "timestamp": f"2026-11-01T00:00:0{device}.000Z",
                           "resource": {"app.installation.id": f"{device}", "service.version": f"2.{device}"},
                           "severityNumber": 9, "eventName": name,
                           "attributes": {"patch.id": "com.example.fix", "patch.version": 1, **attributes}})
    calls = {"patch.calls": 9, "patch.failures": 1, "patch.fallbacks": 1, "patch.measured": 1, "patch.nanoseconds": 5, "patch.longest": 5, "patch.times": [1, 0, 2]}
    fault = {"code.function.name": "f", "error.type": "script", "error.message": "no", "code.file.path": "a.lua", "code.line.number": 7, "event.count": 3}
    lines = [line(name, device, **(calls if name == "called" else fault if name in ("failed", "refused", "fell-back") else {}))
             for device, name in enumerate(("activated", "trial", "confirmed", "failed", "refused", "fell-back", "called", "rolled-back"))]
    shadow = {"code.function.name": "f", "shadow.agreed": 9, "shadow.differed": 1, "shadow.failed": 1, "shadow.incomparable": 2, "patch.nanoseconds": 5}
    lines += [line("compared", 1, **shadow, **{"shadow.reasons": {"pay": 1}, "shadow.answer": "1", "shadow.result": "2", "code.file.path": "a.lua"}),
              line("compared", 2, **shadow, **{"shadow.answer": "1", "error.type": "script", "error.message": "no"})]
    lines += [line("withdrawn", 1), line("deactivated", 2), line("launched", 3, **{"patch.running": [{"patch.id": "com.example.fix", "patch.version": 1}, {"patch.id": "b", "patch.version": 2}]})]
    for number, text in enumerate([*lines, "\n".join(lines)]):
        (folder / "events" / str(number)).write_text(text)
    reports(folder, "\n".join([*lines, line("called", 4, **calls | {"patch.calls": 90_000, "patch.version": 2})]).encode())


def reports(folder, log):
    """Gates, and an event log in each form."""
    gates = b"failing<0.5% failures<previous+0.2% time-p95<5ms fallbacks<50%\n"
    # Zstandard with one raw block (RFC 8878, 3.1.1).
    zst = b"\x28\xb5\x2f\xfd\xa0" + struct.pack("<I", len(log)) + struct.pack("<I", len(log) << 3 | 1)[:3] + log
    packed = gzip.compress(log, mtime=0)
    for name, file in {"plain": log, "gzip": packed, "gzip-twice": packed + packed, "gzip-cut": packed[:-9], "zst": zst, "zst-cut": zst[:-9]}.items():
        write(folder, "report", name, gates + file)


def write(folder, target, name, content):
    (folder / target).mkdir(parents=True, exist_ok=True)
    (folder / target / name).write_bytes(content)


def feeds(folder):
    """Files of the feed in FuzzFeed.swift, each after the byte that selects it."""
    def key(private):
        point = private.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw).hex()
        entry = {"keytype": "ed25519", "keyval": {"public": point}, "scheme": "ed25519"}
        return hashlib.sha256(json.dumps(entry, separators=(",", ":")).encode()).hexdigest(), entry
    pem = (VECTORS / "keys" / "ed25519.private.pem").read_bytes()
    offline, online = key(serialization.load_pem_private_key(pem, None)), key(Ed25519PrivateKey.from_private_bytes(b"\1" * 32))
    def head(kind, version):
        return {"_type": kind, "spec_version": "1.0.34", "version": version, "expires": "2026-12-20T12:00:00Z"}
    def described(content):
        return {"hashes": {"sha256": hashlib.sha256(content).hexdigest()}, "length": len(content)}
    def role(one):
        return {"keyids": [one[0]], "threshold": 1}
    envelope = (VECTORS / "accepted" / "ed25519.js").read_bytes()
    path = "patches/com.example.shop/com.example.shop.fix-7.js"
    def root(version):
        return head("root", version) | {"consistent_snapshot": True, "keys": dict([offline, online]), "roles": {
            "root": role(offline), "targets": role(offline), "snapshot": role(online), "timestamp": role(online)}}
    def targets(version):
        rollout = role(online) | {"name": "rollout", "paths": ["rollout/*.json"], "terminating": True}
        return head("targets", version) | {"delegations": {"keys": dict([online]), "roles": [rollout]}, "targets": {path: described(envelope)}}
    def rollout(version):
        return head("targets", version) | {"targets": {"rollout/com.example.shop.json": described(b"{}")}}
    def snapshot(version):
        return head("snapshot", version) | {"meta": {"targets.json": {"version": 1}, "rollout.json": {"version": 1}},
                                            "change": {"root": 1, "time": "2026-11-20T12:00:00Z", "author": "ada", "reason": "<b>"},
                                            "previous": {"version": version - 1, "hashes": {"sha256": "00" * 32}}}
    def timestamp(version):
        return head("timestamp", version) | {"meta": {"snapshot.json": {"version": 1}}}
    def entry(**members):
        return {"id": "com.example.shop.fix", "version": 7, "path": path, "appVersions": ">=2.3.0 <2.5.0", "engine": 1, "state": "active"} | members
    def listed(*entries, **members):
        return {"schema": 1, "enabled": True, "app": "com.example.shop", "environment": "release", "published": "2026-11-20T12:00:00Z"} | members | {"patches": entries}
    stamps = {"since": "2026-11-20T12:00:00Z", "author": "ada & bob", "reason": "<i>\u0d4e<b>"}
    contents = [
        [root(2), root(3)], [targets(1), targets(2)], [rollout(1)], [snapshot(1), snapshot(2)], [timestamp(1), timestamp(2)],
        [listed(entry(when="now", **stamps)), listed(entry(state="withdrawn", reason="r")), listed(entry(), enabled=False),
         listed(entry(rollout={"permyriad": 5000, "by": "installation", "seed": "s"}, groups=["qa"]), notice="n", switches={"a": "b"}, minimumAppVersion="2.0"),
         listed(entry(state="paused"), entry(version=8))],
        [path.read_bytes() for path in sorted((ROOT / "Fuzz" / "corpus" / "trust").iterdir())],
        [(VECTORS / "accepted" / f"{name}.js").read_bytes() for name in ("ed25519", "policy", "bundle", "gcm")],
        [root(2)], [targets(2)], [rollout(2)], [listed(entry(**stamps))],
    ]
    for place, files in enumerate(contents):
        for number, file in enumerate(files):
            content = file if isinstance(file, bytes) else json.dumps(file).encode()
            # 72 is a multiple of the number of places.
            write(folder, "repository", f"{place}-{number}", bytes([72 + place]) + content)
            for second in b"01":
                write(folder, "sync", f"{place}-{number}-{second}", bytes([72 + place, second]) + content)


def specs(folder):
    """Patches and their specs."""
    for spec in (ROOT / "examples" / "specs").iterdir():
        patch = ROOT / "examples" / "patches" / spec.name
        if patch.exists():
            write(folder, "spec", spec.stem, patch.read_bytes() + b"\n---\n" + spec.read_bytes())


main(pathlib.Path(sys.argv[1]))
events(pathlib.Path(sys.argv[1]))
feed(pathlib.Path(sys.argv[1]))
feeds(pathlib.Path(sys.argv[1]))
specs(pathlib.Path(sys.argv[1]))
