#!/usr/bin/env python3
"""Makes feed.json: feeds that a client must accept or refuse, and canonical JSON. Needs the PyPI package `cryptography`.

The keys are made from fixed seeds, so that the same file is made each time.
"""

import copy
import hashlib
import json
import pathlib

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

EXPIRES = "2027-01-01T00:00:00Z"


class Key:
    def __init__(self, seed):
        self.key = Ed25519PrivateKey.from_private_bytes(hashlib.sha256(seed.encode()).digest())
        public = self.key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()
        self.entry = {"keytype": "ed25519", "keyval": {"public": public}, "scheme": "ed25519"}
        self.id = hashlib.sha256(canonical(self.entry)).hexdigest()


def canonical(value):
    """OLPC's canonical JSON."""
    def text(o):
        if isinstance(o, str):
            return '"' + o.replace("\\", "\\\\").replace('"', '\\"') + '"'
        if isinstance(o, list):
            return "[" + ",".join(map(text, o)) + "]"
        if isinstance(o, dict):
            return "{" + ",".join(text(k) + ":" + text(o[k]) for k in sorted(o, key=str.encode)) + "}"
        return json.dumps(o)
    return text(value).encode()


def signed(body, *keys, ids=None):
    payload = canonical(body)
    names = ids or [key.id for key in keys]
    return {"signatures": [{"keyid": n, "sig": k.key.sign(payload).hex()} for n, k in zip(names, keys)], "signed": body}


def encode(value):
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


ROOT, RELEASE, ONLINE, OTHER = (Key(name) for name in ("root", "release", "online", "other"))
LIST = encode({"schema": 1, "enabled": True, "app": "com.example.shop", "environment": "release",
               "published": "2026-11-01T00:00:00Z", "patches": []})


def role(*keys, threshold=1):
    return {"keyids": [k.id for k in keys], "threshold": threshold}


def header(kind, version=1, expires=EXPIRES):
    return {"_type": kind, "spec_version": "1.0.34", "version": version, "expires": expires}


def described(text):
    data = text.encode()
    return {"length": len(data), "hashes": {"sha256": hashlib.sha256(data).hexdigest()}}


class Feed:
    """A sound feed. A case makes its change before `files` signs the files that depend on it."""

    def __init__(self):
        self.root = {**header("root"), "consistent_snapshot": True,
                     "keys": {k.id: k.entry for k in (ROOT, RELEASE, ONLINE)},
                     "roles": {"root": role(ROOT), "targets": role(RELEASE), "snapshot": role(ONLINE), "timestamp": role(ONLINE)}}
        self.targets = {**header("targets"), "targets": {}, "delegations": {
            "keys": {ONLINE.id: ONLINE.entry},
            "roles": [{"name": "rollout", "paths": ["rollout/*.json"], "terminating": True, **role(ONLINE)}]}}
        self.rollout = {**header("targets"), "targets": {"rollout/com.example.shop.json": described(LIST)}}
        self.signers = {"root": [ROOT], "targets": [RELEASE], "rollout": [ONLINE], "snapshot": [ONLINE], "timestamp": [ONLINE]}
        self.snapshot_changes, self.timestamp_changes = {}, {}
        self.ids = []  # under which the snapshot's signatures are listed, if not the keys' own

    def files(self):
        root = encode(signed(self.root, *self.signers["root"]))
        targets = encode(signed(self.targets, *self.signers["targets"]))
        rollout = encode(signed(self.rollout, *self.signers["rollout"]))
        body = {**header("snapshot"), "meta": {"targets.json": {"version": 1}, "rollout.json": {"version": 1}}}
        body.update(self.snapshot_changes)
        snapshot = encode(signed(body, *self.signers["snapshot"], ids=self.ids))
        body = {**header("timestamp"), "meta": {"snapshot.json": {"version": 1, **described(snapshot)}}}
        body.update(self.timestamp_changes)
        timestamp = encode(signed(body, *self.signers["timestamp"]))
        digest = hashlib.sha256(LIST.encode()).hexdigest()
        return {"metadata/1.root.json": root, "metadata/1.targets.json": targets, "metadata/1.rollout.json": rollout,
                "metadata/1.snapshot.json": snapshot, "metadata/timestamp.json": timestamp,
                f"targets/rollout/{digest}.com.example.shop.json": LIST}


CASES = []
BASE = Feed().files()


def case(name, expected, change=lambda feed: None, after=lambda files: None, now="2026-11-02T00:00:00Z"):
    feed = Feed()
    change(feed)
    files = feed.files()
    after(files)
    differing = {path: files.get(path) for path in sorted(BASE.keys() | files.keys()) if files.get(path) != BASE.get(path)}
    CASES.append({"name": name, "expected": expected, "now": now, "change": differing})


def replace(path, old, new):
    def change(files):
        assert old in files[path], (path, old)
        files[path] = files[path].replace(old, new)
    return change


def set_file(path, value):
    return lambda files: files.__setitem__(path, encode(value(files)))


TIMESTAMP, SNAPSHOT, TARGETS = "metadata/timestamp.json", "metadata/1.snapshot.json", "metadata/1.targets.json"


def rotated(version=2, signers=(ROOT,), **changes):
    body = {**Feed().root, "version": version, **changes}
    return lambda files: encode(signed(body, *signers))


case("a sound feed", "ok")
case("unknown members are signed and ignored", "ok", lambda f: f.timestamp_changes.update({"x-new": ["é", 1, None]}))
case("at the last second before the timestamp ends", "ok", now="2026-12-31T23:59:59Z")
case("at the second at which it ends", "feed-expired", now=EXPIRES)
case("the timestamp has ended", "feed-expired", lambda f: f.timestamp_changes.update(expires="2026-11-01T00:00:00Z"))
case("the snapshot has ended", "feed-expired", lambda f: f.snapshot_changes.update(expires="2026-11-01T00:00:00Z"))
case("the targets have ended", "feed-expired", lambda f: f.targets.update(expires="2026-11-01T00:00:00Z"))
case("the list's role has ended", "feed-expired", lambda f: f.rollout.update(expires="2026-11-01T00:00:00Z"))
case("the timestamp is signed by another key", "feed-signature", lambda f: f.signers.update(timestamp=[OTHER]))
case("the targets are signed by the online key", "feed-signature", lambda f: f.signers.update(targets=[ONLINE]))
case("the list's role is signed by the release key", "feed-signature", lambda f: f.signers.update(rollout=[RELEASE]))
case("a signature of other bytes", "feed-signature", after=replace(TIMESTAMP, EXPIRES, "2028-01-01T00:00:00Z"))
case("two signatures with the same key id", "feed-malformed",
     lambda f: (f.root["roles"].update(snapshot=role(ONLINE, OTHER, threshold=2)),
                f.root["keys"].update({OTHER.id: OTHER.entry}), f.signers.update(snapshot=[ONLINE, ONLINE])))
case("one key under two ids, of two that are needed", "feed-signature", lambda f: (
    f.root["keys"].update({"ab" * 32: ONLINE.entry}),
    f.root["roles"].update(snapshot={"keyids": [ONLINE.id, "ab" * 32], "threshold": 2}),
    f.signers.update(snapshot=[ONLINE, ONLINE]), f.ids.extend([ONLINE.id, "ab" * 32])))
case("the snapshot is not the one of the timestamp", "feed-mismatch", after=replace(SNAPSHOT, EXPIRES, "2028-01-01T00:00:00Z"))
case("the snapshot has another version than listed", "feed-mismatch", lambda f: f.snapshot_changes.update(version=2))
case("the targets have another version than listed", "feed-mismatch", lambda f: f.targets.update(version=2))
case("the list is not the one that is signed", "feed-mismatch",
     after=lambda files: files.update({p: t.replace("2026-11-01", "2026-11-02") for p, t in files.items() if p.startswith("targets/")}))
case("the timestamp is missing", "feed-unavailable", after=lambda files: files.pop(TIMESTAMP))
case("the snapshot is missing", "feed-unavailable", after=lambda files: files.pop(SNAPSHOT))
case("a web page in place of the timestamp", "feed-malformed", after=set_file(TIMESTAMP, lambda _: "<html></html>"))
case("a key twice in an object", "feed-malformed", after=replace(TIMESTAMP, '"version":1,"expires"', '"version":1,"version":1,"expires"'))
case("a fraction", "feed-malformed", after=replace(TIMESTAMP, '"version":1,"expires"', '"version":1.0,"expires"'))
case("nested too deeply", "feed-malformed", after=replace(TIMESTAMP, '"spec_version"', '"x":' + "[" * 40 + "]" * 40 + ',"spec_version"'))
case("a snapshot in place of the timestamp", "feed-malformed", after=lambda files: files.update({TIMESTAMP: files[SNAPSHOT]}))
case("version 0", "feed-malformed", lambda f: f.timestamp_changes.update(version=0))
case("another major version of the specification", "feed-malformed", lambda f: f.timestamp_changes.update(spec_version="2.0.0"))
case("a new root, signed by the old and the new key", "ok", after=lambda files: files.update({"metadata/2.root.json": rotated(
    signers=(ROOT, OTHER), keys={k.id: k.entry for k in (OTHER, RELEASE, ONLINE)},
    roles={**Feed().root["roles"], "root": role(OTHER)})(files)}))
case("a new root, not signed by the old key", "feed-signature", after=lambda files: files.update({"metadata/2.root.json": rotated(
    signers=(OTHER,), keys={k.id: k.entry for k in (OTHER, RELEASE, ONLINE)},
    roles={**Feed().root["roles"], "root": role(OTHER)})(files)}))
case("a new root, not signed by the new key", "feed-signature", after=lambda files: files.update({"metadata/2.root.json": rotated(
    signers=(ROOT,), keys={k.id: k.entry for k in (OTHER, RELEASE, ONLINE)},
    roles={**Feed().root["roles"], "root": role(OTHER)})(files)}))
case("a new root that skips a version", "feed-rollback", after=lambda files: files.update({"metadata/2.root.json": rotated(version=3)(files)}))
case("a new root that has ended", "feed-expired", after=lambda files: files.update(
    {"metadata/2.root.json": rotated(expires="2026-11-01T00:00:00Z")(files)}))

CANONICAL = [
    ('{ "b" : 1 , "a" : [ true , null , -7 ] }', '{"a":[true,null,-7],"b":1}'),
    ('{"é":1,"z":2,"\\u00e8":3}', '{"z":2,"è":3,"é":1}'), ('"a\\n\\t\\u0000b"', '"a\n\t\0b"'),
    ('"\\"\\\\\\/"', '"\\"\\\\/"'), ('{"":{}}', '{"":{}}'), ("9223372036854775807", "9223372036854775807"),
    ('{"\\ud83d\\ude00":1,"\\uffff":2}', '{"\uffff":2,"\U0001F600":1}'),
    *((text, None) for text in ('{"a":1,"a":1}', "1.5", "1e3", "-0.0", "9223372036854775808", '"\\ud800"', "{", "[1,]", "",
                                "nul", "01", "[" * 40 + "]" * 40, "\ufeff{}", '"\t"')),
]

for text, expected in CANONICAL:
    if expected is not None:
        assert canonical(json.loads(text)).decode() == expected, text
pathlib.Path(__file__).with_suffix(".json").write_text(json.dumps({
    "about": "Feeds for a client whose root file is metadata/1.root.json of its own feed. `base` is a sound feed; each case changes some of "
             "its files, null removes one, and has the time and the expected verdict. Then canonical JSON; null if it is refused.",
    "base": BASE, "cases": CASES, "canonical": [{"input": i, "canonical": c} for i, c in CANONICAL]}, ensure_ascii=True, indent=1) + "\n")
