"""Packs or verifies many envelopes with Python's `cryptography` and `zipfile`, for `make bench` to hold patchpack against.

usage: envelopes.py pack SIGNING.pem SCRIPT.key FOLDER SCRIPT.lua...
       envelopes.py verify PUBLIC.pem SCRIPT.key ENVELOPE.js...
"""

import base64
import hashlib
import hmac
import io
import json
import pathlib
import re
import sys
import zipfile

from cryptography.hazmat.primitives import hashes, padding, serialization
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

DELIMITER = b"\n--patchpack-envelope-1 "


def key_id(public):
    der = public.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    return hashlib.sha256(der).hexdigest()[:16]


def script_key_id(key):
    return hashlib.sha256(b"patchpack script key\n" + key).hexdigest()[:16]


def seal(key, label, plain):
    iv = hmac.new(key, b"patchpack iv 1\n" + label.encode() + b"\n" + plain, hashlib.sha256).digest()[:16]
    padder, encryptor = padding.PKCS7(128).padder(), Cipher(algorithms.AES(key), modes.CBC(iv)).encryptor()
    return iv + encryptor.update(padder.update(plain) + padder.finalize()) + encryptor.finalize()


def open_sealed(key, sealed):
    decryptor, unpadder = Cipher(algorithms.AES(key), modes.CBC(sealed[:16])).decryptor(), padding.PKCS7(128).unpadder()
    return unpadder.update(decryptor.update(sealed[16:]) + decryptor.finalize()) + unpadder.finalize()


def pack(private, key, folder, path):
    script, name = path.read_bytes(), path.name
    tags = dict(re.findall(r"^-- @(\w+) +(.*)$", script.decode(), re.MULTILINE))
    manifest = {
        "app": tags["app"], "appVersions": "*", "engine": 1, "id": tags["patch"], "replaces": [tags["replaces"]],
        "schema": 1, "scripts": [{"name": name, "size": len(script)}], "version": int(tags["version"]),
    }
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as members:
        for member, content in (
            ("manifest.json", json.dumps(manifest, separators=(",", ":"), sort_keys=True).encode()),
            (name + ".md5", hashlib.md5(script).hexdigest().encode()),
            (name + ".aes", seal(key, name, script)),
        ):
            members.writestr(zipfile.ZipInfo(member), content)
    payload = seal(key, "envelope", archive.getvalue())
    signature = base64.b64encode(private.sign(payload, PKCS1v15(), hashes.SHA1())).decode()
    lines = f"aes-128-cbc+md5 {script_key_id(key)}\nrsa-sha1 {key_id(private.public_key())} {signature}\n"
    (folder / (path.stem + ".js")).write_bytes(payload + DELIMITER + lines.encode())


def verify(public, key, path):
    payload, tail = path.read_bytes().rsplit(DELIMITER, 1)
    header, *lines = tail.decode().split("\n")[:-1]
    assert header == f"aes-128-cbc+md5 {script_key_id(key)}"
    signatures = {line.split(" ")[1]: line.split(" ")[2] for line in lines}
    public.verify(base64.b64decode(signatures[key_id(public)], validate=True), payload, PKCS1v15(), hashes.SHA1())
    members = zipfile.ZipFile(io.BytesIO(open_sealed(key, payload)))
    for script in json.loads(members.read("manifest.json"))["scripts"]:
        text = open_sealed(key, members.read(script["name"] + ".aes"))
        assert hashlib.md5(text).hexdigest().encode() == members.read(script["name"] + ".md5")


def main(action, pem, script_key, *paths):
    pem, key = pathlib.Path(pem).read_bytes(), bytes.fromhex(pathlib.Path(script_key).read_text().strip())
    if action == "pack":
        private, folder = serialization.load_pem_private_key(pem, None), pathlib.Path(paths[0])
        for path in paths[1:]:
            pack(private, key, folder, pathlib.Path(path))
    else:
        public = serialization.load_pem_public_key(pem)
        for path in paths:
            verify(public, key, pathlib.Path(path))


main(*sys.argv[1:])
