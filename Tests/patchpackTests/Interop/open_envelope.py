"""Opens an envelope with Python's `cryptography` and `zipfile`: a reader that shares no line with patchpack.

usage: open_envelope.py ENVELOPE SCRIPT_KEY PUBLIC_KEY...

Prints the name and the SHA-256 of each script, when every public key given has signed the envelope.
"""

import base64
import hashlib
import io
import json
import sys
import zipfile

from cryptography.hazmat.primitives import hashes, padding, serialization
from cryptography.hazmat.primitives.asymmetric import ed25519, rsa
from cryptography.hazmat.primitives.asymmetric import padding as rsa_padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM


def open_sealed(sealed, key, label):
    if len(key) == 32:
        return AESGCM(key).decrypt(sealed[:12], sealed[12:], label.encode())
    decryptor = Cipher(algorithms.AES(key), modes.CBC(sealed[:16])).decryptor()
    unpadder = padding.PKCS7(128).unpadder()
    return unpadder.update(decryptor.update(sealed[16:]) + decryptor.finalize()) + unpadder.finalize()


def key_id(public):
    der = public.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    return hashlib.sha256(der).hexdigest()[:16]


def check(public, algorithm, signature, payload):
    if isinstance(public, ed25519.Ed25519PublicKey):
        assert algorithm == "ed25519"
        public.verify(signature, payload)
    else:
        assert isinstance(public, rsa.RSAPublicKey)
        digest = {"rsa-sha1": hashes.SHA1(), "rsa-sha256": hashes.SHA256()}[algorithm]
        public.verify(signature, payload, rsa_padding.PKCS1v15(), digest)


def main(envelope, script_key, *public_keys):
    data = open(envelope, "rb").read()
    payload, tail = data.rsplit(b"\n--patchpack-envelope-1 ", 1)
    header, *lines = tail.decode().split("\n")[:-1]
    suite, script_key_id = header.split(" ")
    signatures = {line.split(" ")[1]: line.split(" ") for line in lines}
    for path in public_keys:
        public = serialization.load_pem_public_key(open(path, "rb").read())
        algorithm, _, signature = signatures[key_id(public)]
        check(public, algorithm, base64.b64decode(signature, validate=True), payload)
    key = bytes.fromhex(open(script_key).read().strip())
    assert hashlib.sha256(b"patchpack script key\n" + key).hexdigest()[:16] == script_key_id
    digest = {"aes-128-cbc+md5": "md5", "aes-256-gcm+sha256": "sha256"}[suite]
    members = zipfile.ZipFile(io.BytesIO(open_sealed(payload, key, "envelope")))
    manifest = json.loads(members.read("manifest.json"))
    for script in manifest["scripts"]:
        name = script["name"]
        text = open_sealed(members.read(name + ".aes"), key, name)
        assert len(text) == script["size"]
        assert hashlib.new(digest, text).hexdigest().encode() == members.read(f"{name}.{digest}")
        print(name, hashlib.sha256(text).hexdigest())


main(*sys.argv[1:])
