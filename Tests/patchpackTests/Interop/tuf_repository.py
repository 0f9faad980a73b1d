"""Makes a feed with python-tuf, whose keys are RSA, ECDSA and Ed25519, or adds a version to one.

usage: tuf_repository.py FEED KEYS ENVELOPE...
"""

import hashlib
import json
import os
import sys
from datetime import datetime, timedelta, timezone

from securesystemslib.signer import CryptoSigner
from tuf.api.metadata import (
    DelegatedRole, Delegations, Metadata, MetaFile, Root, Snapshot, TargetFile, Targets, Timestamp)
from tuf.api.serialization.json import JSONSerializer

feed, envelopes = sys.argv[1], sys.argv[2:]
app = "com.example.shop"
end = datetime.now(timezone.utc).replace(microsecond=0) + timedelta(days=7)
keys = {
    "root": [CryptoSigner.generate_rsa(), CryptoSigner.generate_ecdsa()], "targets": [CryptoSigner.generate_ecdsa()],
    "snapshot": [CryptoSigner.generate_ed25519()], "timestamp": [CryptoSigner.generate_rsa()],
    "rollout": [CryptoSigner.generate_ed25519()]}


def write(path, data):
    os.makedirs(os.path.dirname(f"{feed}/{path}"), exist_ok=True)
    with open(f"{feed}/{path}", "wb") as file:
        file.write(data)


def sign(role, signed, name):
    metadata = Metadata(signed)
    for signer in keys[role]:
        metadata.sign(signer, append=True)
    write(f"metadata/{name}.json", metadata.to_bytes(JSONSerializer(compact=False)))


def target(path, data):
    info = TargetFile.from_data(path, data, ["sha256", "sha512"])
    for digest in info.hashes.values():
        folder, name = os.path.split(path)
        write(f"targets/{folder}/{digest}.{name}", data)
    return info


root = Root(1, None, end, consistent_snapshot=True)
for role in ["root", "targets", "snapshot", "timestamp"]:
    for signer in keys[role]:
        root.add_key(signer.public_key, role)
root.roles["root"].threshold = 2
targets = Targets(1, None, end)
entries = []
for path in envelopes:
    data = open(path, "rb").read()
    version = int(os.path.basename(path).removesuffix(".js"))
    name = f"patches/{app}/cart-total-{version}.js"
    targets.targets[name] = target(name, data)
    entries.append({
        "id": "com.example.shop.cart-total", "version": version, "path": name, "appVersions": ">=2.3.0 <2.5.0",
        "engine": 1, "state": "active", "comment": {"a later member": [1, None]}})
online = keys["rollout"][0].public_key
targets.delegations = Delegations({}, {
    "rollout": DelegatedRole("rollout", [], 1, True, ["rollout/*.json"])})
targets.add_key(online, "rollout")
listed = json.dumps({
    "schema": 1, "enabled": True, "app": app, "environment": "release", "published": "2026-11-01T12:00:00Z",
    "patches": entries, "a later member": True}, indent=1).encode()
rollout = Targets(1, None, end)
rollout.targets[f"rollout/{app}.json"] = target(f"rollout/{app}.json", listed)
snapshot = Snapshot(1, None, end, {"targets.json": MetaFile(1), "rollout.json": MetaFile(1)})
timestamp = Timestamp(1, None, end, MetaFile(1))
sign("root", root, "1.root")
sign("targets", targets, "1.targets")
sign("rollout", rollout, "1.rollout")
sign("snapshot", snapshot, "1.snapshot")
sign("timestamp", timestamp, "timestamp")
# The next root: another timestamp key, signed by the keys of both roots.
old = root.roles["timestamp"].keyids[0]
root.revoke_key(old, "timestamp")
keys["timestamp"] = [CryptoSigner.generate_ecdsa()]
root.add_key(keys["timestamp"][0].public_key, "timestamp")
root.version = 2
sign("root", root, "2.root")
timestamp.version = 2
sign("timestamp", timestamp, "timestamp")
