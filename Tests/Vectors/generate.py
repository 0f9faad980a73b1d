"""Makes the vectors: files that every reader of envelope format 1 must judge as listed in `index.json`.

usage: generate.py          writes the files and index.json
       generate.py --check  fails if that would change anything
       generate.py --keys   makes new keys first, once and for all: every file changes with them

Each refused case has one fault, and everything around it is sound: a fault in the zip is properly sealed and signed. The same
keys give the same files. Python with `cryptography`; the zips are written byte by byte.
"""

import base64
import functools
import hashlib
import hmac
import json
import pathlib
import struct
import sys
import zlib

from cryptography.hazmat.primitives import hashes, padding, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

HERE = pathlib.Path(__file__).resolve().parent
KEYS = HERE / "keys"
DELIMITER = b"\n--patchpack-envelope-1 "
CBC, GCM = "aes-128-cbc+md5", "aes-256-gcm+sha256"
DEFAULTS = {
    "trust": ["rsa.pem"], "scriptKey": "script.key", "threshold": 1, "app": None, "appVersion": None, "engine": 1,
    "floor": None, "at": "2026-11-20T12:00:00Z",
}

# MARK: keys


def make_keys():
    KEYS.mkdir(exist_ok=True)
    private = {
        "rsa": rsa.generate_private_key(65537, 2048), "rsa-other": rsa.generate_private_key(65537, 2048),
        "rsa-weak": rsa.generate_private_key(65537, 1024), "ed25519": ed25519.Ed25519PrivateKey.generate(),
        "ec": ec.generate_private_key(ec.SECP256R1()),
    }
    for name, key in private.items():
        (KEYS / f"{name}.private.pem").write_bytes(key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        (KEYS / f"{name}.pem").write_bytes(spki_pem(public_der(key)))
    for name, size in (("script", 16), ("script-other", 16), ("script-32", 32), ("script-32-other", 32)):
        (KEYS / f"{name}.key").write_text(hashlib.sha512(name.encode()).hexdigest()[:2 * size] + "\n")
    numbers = private["rsa"].public_key().public_numbers()
    strange = {
        "rsa-exponent-1": rsa_der(numbers.n, 1), "rsa-exponent-even": rsa_der(numbers.n, 65536),
        "rsa-exponent-long": rsa_der(numbers.n, (1 << 64) + 1), "rsa-modulus-even": rsa_der(numbers.n - 1, 65537),
        "rsa-trailing": rsa_der(numbers.n, 65537) + b"\0",
        "rsa-no-null": rsa_der(numbers.n, 65537, parameters=b""),
        "rsa-pss": rsa_der(numbers.n, 65537, algorithm="2a864886f70d01010a", parameters=b""),
        "ed25519-small-order": bytes.fromhex("302a300506032b6570032100") + bytes(32),
        "ed25519-small-order-signed": bytes.fromhex("302a300506032b6570032100") + b"\1" + bytes(30) + b"\x80",
    }
    for name, der in strange.items():
        (KEYS / f"{name}.pem").write_bytes(spki_pem(der))
    pem = (KEYS / "rsa.pem").read_bytes()
    (KEYS / "rsa-commented.pem").write_bytes(b"release key of 2026\n" + pem + b"kept by the build\n")
    (KEYS / "rsa-crlf.pem").write_bytes(pem.replace(b"\n", b"\r\n"))
    (KEYS / "two-blocks.pem").write_bytes(pem + (KEYS / "rsa-other.pem").read_bytes())
    (KEYS / "no-block.pem").write_bytes(b"not a key\n")
    text = (KEYS / "script.key").read_text()
    (KEYS / "script-no-line-feed.key").write_text(text.rstrip())


def der(tag, content):
    length = len(content)
    size = bytes([length]) if length < 128 else b"\x81" + bytes([length]) if length < 256 else b"\x82" + struct.pack(">H", length)
    return bytes([tag]) + size + content


def rsa_der(n, e, algorithm="2a864886f70d010101", parameters=b"\5\0"):
    def integer(value):
        return der(2, value.to_bytes(value.bit_length() // 8 + 1, "big"))
    key = der(0x30, integer(n) + integer(e))
    return der(0x30, der(0x30, der(6, bytes.fromhex(algorithm)) + parameters) + der(3, b"\0" + key))


def spki_pem(spki):
    text = base64.b64encode(spki).decode()
    lines = [text[i:i + 64] for i in range(0, len(text), 64)]
    return "\n".join(["-----BEGIN PUBLIC KEY-----", *lines, "-----END PUBLIC KEY-----", ""]).encode()


def public_der(private):
    return private.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)


@functools.cache
def private_key(name):
    return serialization.load_pem_private_key((KEYS / f"{name}.private.pem").read_bytes(), None)


def script_key(name):
    return bytes.fromhex((KEYS / f"{name}.key").read_text())


def digest_id(data):
    return hashlib.sha256(data).hexdigest()[:16]


def script_key_id(key):
    return digest_id(b"patchpack script key\n" + key)


# MARK: envelopes


def seal(key, label, plain, iv=None):
    derived = hmac.new(key, b"patchpack iv 1\n" + label.encode() + b"\n" + plain, hashlib.sha256).digest()
    if len(key) == 32:
        iv = iv or derived[:12]
        return iv + AESGCM(key).encrypt(iv, plain, label.encode())
    padder = padding.PKCS7(128).padder()
    return cbc(key, iv or derived[:16], padder.update(plain) + padder.finalize())


def cbc(key, iv, blocks):
    encryptor = Cipher(algorithms.AES(key), modes.CBC(iv)).encryptor()
    return iv + encryptor.update(blocks) + encryptor.finalize()


def sign(algorithm, name, payload):
    key = private_key(name)
    if algorithm == "ed25519":
        return key.sign(payload)
    return key.sign(payload, PKCS1v15(), hashes.SHA1() if algorithm == "rsa-sha1" else hashes.SHA256())


def line(algorithm, name, signature, encoded=None):
    encoded = base64.b64encode(signature).decode() if encoded is None else encoded
    return f"{algorithm} {digest_id(public_der(private_key(name)))} {encoded}\n".encode()


def canonical(value):
    """JSON as RFC 8785 has it, for values without fractions."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


class Zip:
    """A sound zip of stored members, and where its records lie."""

    def __init__(self, members, deflated=()):
        self.bytes, directory, self.local, self.central = bytearray(), bytearray(), [], []
        for name, content in members:
            name = name if isinstance(name, bytes) else name.encode()
            packed, size, crc, method = content, len(content), zlib.crc32(content), 0
            if name.decode("latin-1") in deflated:
                packed, method = deflated[name.decode("latin-1")], 8
            shared = struct.pack("<HHHHHIIIHH", 10, 0, method, 0, 33, crc, len(packed), size, len(name), 0)
            self.local.append(len(self.bytes))
            self.central.append(len(directory))
            directory += struct.pack("<IH", 0x02014B50, 0x033F) + shared
            directory += struct.pack("<HHHII", 0, 0, 0, 0x81A40000, len(self.bytes)) + name
            self.bytes += struct.pack("<I", 0x04034B50) + shared + name + packed
        start = len(self.bytes)
        self.central = [start + place for place in self.central]
        self.bytes += directory
        self.bytes += struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, len(members), len(members), len(directory), start, 0)

    @property
    def end(self):
        return len(self.bytes) - 22

    def put(self, value, width, place):
        self.bytes[place:place + width] = value.to_bytes(width, "little")

    def set(self, member, field, width, value):
        """Sets a field of both headers, by its place in the local one."""
        self.put(value, width, self.local[member] + field)
        self.put(value, width, self.central[member] + field + 2)

    def insert(self, new, place, moves_directory):
        self.bytes[place:place] = new
        if moves_directory:
            self.put(self.central[0] + len(new), 4, self.end + 16)

    def resize_directory(self):
        self.put(self.end - self.central[0], 4, self.end + 12)


def stored_deflate(data):
    """A deflate stream of one stored block."""
    return b"\1" + struct.pack("<HH", len(data), len(data) ^ 0xFFFF) + data


def zeros_deflate(size):
    """A deflate stream of zeros in one block of fixed codes: 13 bits for 258 bytes."""
    bits = "1" + "10" + "00110000"
    runs, rest = divmod(size - 1, 258)
    bits += ("11000101" + "00000") * runs + "00110000" * rest + "0000000"
    bits += "0" * (-len(bits) % 8)
    return bytes(int(bits[i:i + 8][::-1], 2) for i in range(0, len(bits), 8))


class Forge:
    """An envelope with one thing changed."""

    def __init__(self, scripts=None, suite=CBC, signers=(("rsa-sha1", "rsa"),), key=None):
        self.scripts = scripts or [("main.lua", b'patch.replace("Cart.total", function() return 0 end)\n')]
        self.suite, self.signers = suite, signers
        self.key = key or script_key("script" if suite == CBC else "script-32")
        self.manifest = {
            "schema": 1, "id": "com.example.shop.fix", "version": 7, "app": "com.example.shop",
            "appVersions": ">=2.3.0 <2.5.0", "engine": 1, "replaces": ["Cart.total"],
            "scripts": [{"name": name, "size": len(text)} for name, text in self.scripts],
        }
        self.manifest_bytes = None
        self.iv = None
        self.deflate = {}

    def members(self):
        digest = "md5" if self.suite == CBC else "sha256"
        members = [("manifest.json", self.manifest_bytes if self.manifest_bytes is not None else canonical(self.manifest))]
        for name, text in self.scripts:
            members.append((f"{name}.{digest}", hashlib.new(digest, text).hexdigest().encode()))
            members.append((f"{name}.aes", seal(self.key, name, text, self.iv)))
        return members

    def zip(self, members=None):
        members = members or self.members()
        contents = dict(members)
        return Zip(members, {name: deflate(contents[name]) for name, deflate in self.deflate.items()})

    def payload(self, archive=None):
        return seal(self.key, "envelope", bytes((archive or self.zip()).bytes), self.iv)

    def delimiter(self):
        return DELIMITER + f"{self.suite} {script_key_id(self.key)}\n".encode()

    def wrap(self, payload):
        lines = [line(algorithm, name, sign(algorithm, name, payload)) for algorithm, name in self.signers]
        return payload + self.delimiter() + b"".join(lines)

    def envelope(self):
        return self.wrap(self.payload())


# MARK: cases

CASES = []


def case(name, envelope, verdict, note, **options):
    """`verdict` is a dictionary of the accepted scripts, or a stage and a code."""
    entry = {"file": f"{name}.js", "note": note, **options}
    if isinstance(verdict, dict):
        entry |= {"verdict": "accepted", "scripts": {n: hashlib.sha256(t).hexdigest() for n, t in verdict.items()}}
    else:
        entry |= {"verdict": "refused", "stage": verdict[0], "code": verdict[1]}
    CASES.append((entry, envelope))


MALFORMED = {stage: (stage, "malformed") for stage in ("read", "split", "zip", "manifest")}


def accepted():
    forge = Forge()
    sound, scripts = forge.envelope(), dict(forge.scripts)

    def ok(name, forge, note, envelope=None, **options):
        case(f"accepted/{name}", envelope or forge.envelope(), dict(forge.scripts), note, **options)

    ok("default", forge, "the default suite and algorithm")
    ok("rsa-sha256", Forge(signers=[("rsa-sha256", "rsa")]), "RSA with SHA-256", trust=["rsa-sha256:rsa.pem"])
    ok("ed25519", Forge(signers=[("ed25519", "ed25519")]), "Ed25519", trust=["ed25519.pem"])
    ok("gcm", Forge(suite=GCM), "the modern suite", scriptKey="script-32.key")
    ok("modern", Forge(suite=GCM, signers=[("ed25519", "ed25519")]), "the modern suite and algorithm",
       scriptKey="script-32.key", trust=["ed25519.pem"])
    two = Forge(signers=[("rsa-sha1", "rsa"), ("ed25519", "ed25519")])
    ok("two-signatures", two, "a threshold of two", trust=["rsa.pem", "ed25519.pem"], threshold=2)
    ok("unknown-signature-beside", two, "a line of no trusted key beside a good one")
    ok("same-key-twice", Forge(signers=[("rsa-sha1", "rsa")] * 2), "one key may have two lines")
    ok("eight-signatures", Forge(signers=[("rsa-sha1", "rsa")] * 8), "as many lines as there may be")
    payload = forge.payload()
    bad = line("rsa-sha1", "rsa-other", bytes(256))
    ok("bad-beside-enough", forge, "enough good signatures make a bad line of a trusted key harmless",
       sound + bad, trust=["rsa.pem", "rsa-other.pem"])
    longest = line("rsa-sha1", "rsa-other", bytes(1026))
    ok("longest-signature", forge, "1,368 base64 characters, of a key that is not trusted", sound + longest)
    ok("commented-key", forge, "text around a PEM block", trust=["rsa-commented.pem"])
    ok("key-with-crlf", forge, "CRLF within PEM (RFC 7468)", trust=["rsa-crlf.pem"])
    ok("script-key-without-line-feed", forge, "a script key without a line feed", scriptKey="script-no-line-feed.key")
    random_iv = Forge()
    random_iv.iv = bytes(range(16))
    ok("other-iv", random_iv, "an IV that was not derived")
    ok("empty-script", Forge([("main.lua", b"")]), "a script of no bytes")
    ok("not-utf-8", Forge([("main.lua", b"\xff\xfe\0")]), "a script is bytes")
    ok("bundle", Forge([("main.lua", b"require 'lib/tax'"), ("lib/tax.lua", b"return {}"), ("a.b-c_d.lua", b"x=1")]),
       "several scripts, folders and inner dots")
    ok("64-scripts", Forge([(f"s{i}.lua", b"") for i in range(64)]), "as many scripts as there may be")
    ok("longest-name", Forge([("a" * 124 + ".lua", b"return 1")]), "a name of 128 bytes")
    ok("names-that-almost-clash", Forge([("a.lua", b"1"), ("a/a.lua", b"2"), ("b/a.lua", b"3")]), "names that differ")

    def with_manifest(name, note, **fields):
        forge = Forge()
        forge.manifest |= fields
        ok(name, forge, note)

    with_manifest("all-fields", "every optional key", created="2026-11-20T12:00:00Z", expires="2027-01-01T00:00:00Z",
                  notes='a "note"\twith\nescapes \\ and ünïcödé 😀', extra={"build": "7", "a.b-c_D": ""})
    with_manifest("no-replaces", "an empty list of names", replaces=[])
    with_manifest("methods", "names with a colon and an underscore", replaces=["Cart:add", "_x", "a.b.c"])
    with_manifest("largest-numbers", "numbers at their limit", version=2147483647, engine=1, appVersions="<2147483647")
    with_manifest("four-part-version", "all comparisons, versions of one to four parts",
                  appVersions=">=1 <=10.1.68.52 >0.0.0.0 <3.0 =2.4")
    with_manifest("all-versions", "any version", appVersions="*")
    with_manifest("leap-day", "a day that is there every four years", created="2024-02-29T23:59:59Z")
    with_manifest("year-one", "the first year", created="0001-01-01T00:00:00Z")
    with_manifest("created-behind-expires", "no fault of form", created="2030-01-01T00:00:00Z",
                  expires="2027-01-01T00:00:00Z")
    with_manifest("longest-id", "an id of 128 bytes", id="a." + "b" * 126)
    with_manifest("longest-extra-key", "a key of 64 bytes", extra={"k" * 64: "v"})
    big = Forge()
    big.manifest["notes"] = "n" * (65536 - len(canonical(big.manifest | {"notes": ""})))
    ok("largest-manifest", big, "a manifest of 65,536 bytes")

    policy = {"app": "com.example.shop", "appVersion": "2.3.1", "engine": 1, "floor": 7, "at": "2026-11-20T12:00:00Z"}
    expiring = Forge()
    expiring.manifest["expires"] = "2026-11-20T12:00:01Z"
    ok("policy", expiring, "fits every rule, each at its edge", **policy)
    ok("policy-first-version", forge, "the first version of a range", appVersion="2.3")
    ok("no-rules", expiring, "no rule asked", at=None, engine=None)

    deflated = Forge()
    deflated.deflate = {"manifest.json": stored_deflate, "main.lua.aes": stored_deflate}
    ok("deflated", deflated, "members that are deflated")
    flags = forge.zip()
    for member, value in ((0, 2), (1, 4), (2, 6)):
        flags.set(member, 6, 2, value)
    ok("deflate-options", forge, "deflate option bits on stored members", forge.wrap(forge.payload(flags)))
    loose = forge.zip()
    loose.set(1, 10, 4, 0x5A216000)
    loose.set(1, 4, 2, 20)
    loose.put(0x0014, 2, loose.central[1] + 4)
    loose.put(1, 2, loose.central[1] + 36)
    loose.put(0o100600 << 16 | 0x20, 4, loose.central[1] + 38)
    loose.put(0, 4, loose.central[2] + 38)
    ok("dates-and-modes", forge, "any date, maker and permissions, and the attribute of text", forge.wrap(forge.payload(loose)))
    # A ciphertext with the delimiter in it: the IV is its first bytes.
    inside = Forge()
    inside.key = script_key("script")
    archive = bytes(inside.zip().bytes)
    padder = padding.PKCS7(128).padder()
    blocks = padder.update(archive) + padder.finalize()
    inside_payload = cbc(inside.key, b"\n--patchpack-env", blocks)
    ok("delimiter-begins-inside", inside, "the delimiter's first 16 bytes within the ciphertext", inside.wrap(inside_payload))
    assert len(payload) % 16 == 0 and scripts


def framing():
    forge = Forge()
    sound, payload, delimiter = forge.envelope(), forge.payload(), forge.delimiter()
    signature = sound[len(payload) + len(delimiter):]

    def bad(name, envelope, note, verdict=("split", "malformed"), **options):
        case(f"framing/{name}", envelope, verdict, note, **options)

    bad("empty", b"", "no bytes", MALFORMED["read"])
    bad("one-byte", b"\n", "one byte", MALFORMED["read"])
    bad("15-bytes", sound[:15], "too short to be an envelope", MALFORMED["read"])
    bad("16-bytes", sound[:16], "long enough, and nothing else")
    CASES.append(({"file": "framing/16-MiB-of-zeros.js", "note": "as large as it may be", "zeros": 16 << 20,
                   "verdict": "refused", "stage": "split", "code": "malformed"}, None))
    CASES.append(({"file": "framing/16-MiB-and-a-byte.js", "note": "larger than it may be", "zeros": (16 << 20) + 1,
                   "verdict": "refused", "stage": "read", "code": "limit"}, None))
    bad("text", b"-- a script, and no envelope\nreturn 1\n", "a plain script")
    bad("payload-alone", payload, "no delimiter")
    bad("cut-in-payload", sound[:len(payload) // 2], "cut within the payload")
    bad("cut-in-delimiter", sound[:len(payload) + 30], "cut within the delimiter line")
    bad("cut-behind-delimiter", payload + delimiter, "no signature line")
    bad("cut-in-signature", sound[:-40], "cut within the signature")
    bad("cut-before-line-feed", sound[:-1], "the last line feed is missing")
    bad("cut-first-byte", sound[1:], "the first byte is missing", ("signature", "bad-signature"))
    bad("prepended", b"\0" + sound, "a byte in front", ("signature", "bad-signature"))
    bad("byte-order-mark", b"\xef\xbb\xbf" + sound, "a byte order mark in front", ("signature", "bad-signature"))
    bad("appended-byte", sound + b"\0", "a byte behind")
    bad("appended-space", sound + b" ", "a space behind")
    bad("appended-line-feed", sound + b"\n", "an empty line behind")
    bad("appended-text", sound + b"hello\n", "a line behind that is none")
    bad("appended-nul-padding", sound + bytes(512), "padded with zeros")
    bad("crlf-everywhere", sound.replace(b"\n", b"\r\n"), "a transfer in text mode")
    bad("crlf-delimiter", payload + delimiter.replace(b"\n--", b"\n--").rstrip(b"\n") + b"\r\n" + signature, "CRLF behind the delimiter")
    bad("crlf-signature", payload + delimiter + signature[:-1] + b"\r\n", "CRLF behind the signature")
    bad("cr-signature", payload + delimiter + signature[:-1] + b"\r", "CR in place of LF")
    bad("joined", sound + sound, "two envelopes, one behind the other", ("signature", "bad-signature"))
    bad("two-delimiters", payload + delimiter + delimiter + signature, "the delimiter twice", ("signature", "bad-signature"))
    bad("signature-between", payload + delimiter + signature + delimiter + signature, "a second delimiter and signature",
        ("signature", "bad-signature"))
    bad("delimiter-first", delimiter + signature + payload, "the signature in front of the payload")
    bad("no-payload", delimiter + signature, "a signature over nothing", ("signature", "bad-signature"))
    bad("signed-nothing", forge.wrap(b""), "a good signature over nothing", ("decrypt", "decrypt-failed"))
    far = b"rsa-sha1 " + b"0" * 16 + b" " + base64.b64encode(bytes(1026)) + b"\n"
    bad("delimiter-too-far", payload + delimiter + far * 48, "lines push the delimiter out of the last 65,536 bytes")
    bad("9-signatures", forge.wrap(payload) + signature * 8, "one line too many", ("split", "limit"))
    bad("long-signature", sound + b"rsa-sha1 " + b"0" * 16 + b" " + base64.b64encode(bytes(1029)) + b"\n",
        "1,372 base64 characters", ("split", "limit"))
    for name, change, note in [
        ("no-leading-line-feed", lambda d: d[1:], "no LF before the delimiter"),
        ("three-dashes", lambda d: d.replace(b"--p", b"---p"), "another word"),
        ("version-2", lambda d: d.replace(b"envelope-1", b"envelope-2"), "another version of the format"),
        ("version-11", lambda d: d.replace(b"envelope-1 ", b"envelope-11 "), "a longer version"),
        ("capitals", lambda d: d.replace(b"patchpack", b"Patchpack"), "a capital letter"),
        ("unknown-suite", lambda d: d.replace(b"aes-128-cbc+md5", b"aes-192-cbc+md5"), "a suite that is none"),
        ("suite-in-capitals", lambda d: d.replace(b"aes-128-cbc+md5", b"AES-128-CBC+MD5"), "a suite in capitals"),
        ("no-suite", lambda d: d.replace(b"aes-128-cbc+md5 ", b""), "no suite"),
        ("no-key-id", lambda d: d[:-18] + b"\n", "no script key id"),
        ("short-key-id", lambda d: d[:-2] + b"\n", "15 hex digits"),
        ("long-key-id", lambda d: d[:-1] + b"0\n", "17 hex digits"),
        ("key-id-in-capitals", lambda d: d[:-17] + b"ABCDEF0123456789\n", "capital hex digits"),
        ("key-id-no-hex", lambda d: d[:-17] + b"g" * 16 + b"\n", "no hex digits"),
        ("two-spaces", lambda d: d.replace(b"+md5 ", b"+md5  "), "two spaces"),
        ("tab", lambda d: d.replace(b"+md5 ", b"+md5\t"), "a tab for a space"),
        ("trailing-space", lambda d: d[:-1] + b" \n", "a space at the line's end"),
        ("third-word", lambda d: d[:-1] + b" x\n", "a third word"),
    ]:
        bad(f"delimiter-{name}", payload + change(delimiter) + signature, note)
    for name, change, note in [
        ("no-algorithm", lambda s: s.split(b" ", 1)[1], "two words"),
        ("unknown-algorithm", lambda s: s.replace(b"rsa-sha1", b"rsa-sha3"), "an algorithm that is none"),
        ("algorithm-in-capitals", lambda s: s.replace(b"rsa-sha1", b"RSA-SHA1"), "an algorithm in capitals"),
        ("short-key-id", lambda s: s[:9] + s[10:], "15 hex digits"),
        ("key-id-in-capitals", lambda s: s[:9] + b"ABCDEF0123456789" + s[25:], "capital hex digits"),
        ("two-spaces", lambda s: s.replace(b" ", b"  ", 1), "two spaces"),
        ("leading-space", lambda s: b" " + s, "a space in front"),
        ("trailing-space", lambda s: s[:-1] + b" \n", "a space behind"),
        ("fourth-word", lambda s: s[:-1] + b" x\n", "a fourth word"),
        ("empty-signature", lambda s: s[:26] + b"\n", "nothing for a signature"),
        ("padding-only", lambda s: s[:26] + b"====\n", "padding for a signature"),
        ("no-padding", lambda s: s.replace(b"=", b""), "base64 without its padding"),
        ("too-much-padding", lambda s: s[:-1] + b"====\n", "padding twice"),
        ("padding-inside", lambda s: s[:30] + b"==" + s[32:], "padding in the middle"),
        ("spare-bits", lambda s: s[:-4] + bytes([s[-4] + 1]) + s[-3:], "bits that are not zero in front of the padding"),
        ("url-alphabet", lambda s: s[:26] + b"-_" + s[28:], "the alphabet for URLs"),
        ("line-break", lambda s: s[:66] + b"\n" + s[66:], "broken into lines"),
        ("space-inside", lambda s: s[:66] + b" " + s[67:], "a space within base64"),
        ("not-ascii", lambda s: s[:66] + b"\xe9" + s[67:], "a byte beyond ASCII"),
        ("nul", lambda s: s[:66] + b"\0" + s[67:], "a NUL within base64"),
    ]:
        bad(f"signature-{name}", payload + delimiter + change(signature), note)


def signatures():
    forge = Forge()
    payload = forge.payload()

    def bad(name, lines, note, code="bad-signature", stage="signature", **options):
        case(f"signature/{name}", payload + forge.delimiter() + b"".join(lines), (stage, code), note, **options)

    good = sign("rsa-sha1", "rsa", payload)
    own = line("rsa-sha1", "rsa", good)
    ed = line("ed25519", "ed25519", sign("ed25519", "ed25519", payload))
    bad("other-payload", [line("rsa-sha1", "rsa", sign("rsa-sha1", "rsa", payload + b"\0"))], "over other bytes")
    bad("over-delimiter-too", [line("rsa-sha1", "rsa", sign("rsa-sha1", "rsa", payload + b"\n"))],
        "over the payload and the delimiter's line feed")
    bad("first-bit", [line("rsa-sha1", "rsa", bytes([good[0] ^ 128]) + good[1:])], "its first bit changed")
    bad("last-bit", [line("rsa-sha1", "rsa", good[:-1] + bytes([good[-1] ^ 1]))], "its last bit changed")
    bad("short", [line("rsa-sha1", "rsa", good[:-1])], "a byte short")
    bad("long", [line("rsa-sha1", "rsa", good + b"\0")], "a byte long")
    bad("zero-in-front", [line("rsa-sha1", "rsa", b"\0" + good)], "a zero in front")
    bad("one-byte", [line("rsa-sha1", "rsa", b"\1")], "one byte")
    bad("zeros", [line("rsa-sha1", "rsa", bytes(256))], "all zeros")
    bad("ones", [line("rsa-sha1", "rsa", b"\xff" * 256)], "larger than the modulus")
    bad("wrong-hash", [line("rsa-sha1", "rsa", sign("rsa-sha256", "rsa", payload))], "RSA with SHA-256 under the name of SHA-1")
    raw = int.from_bytes(b"\0\1" + b"\xff" * 233 + b"\0" + hashlib.sha1(payload).digest(), "big")
    numbers = private_key("rsa").private_numbers()
    bad("no-digest-info", [line("rsa-sha1", "rsa", pow(raw, numbers.d, numbers.public_numbers.n).to_bytes(256, "big"))],
        "the hash alone in the padding")
    info = bytes.fromhex("3021300906052b0e03021a05000414") + hashlib.sha1(payload).digest()
    for name, block, note in [
        ("short-padding", b"\0\1" + b"\xff" * 8 + b"\0" + info + bytes(256 - 11 - len(info)), "what follows the hash was left over"),
        ("type-2", b"\0\2" + b"\xff" * (253 - len(info)) + b"\0" + info, "padding for encryption"),
        ("zero-padding", b"\0\1" + b"\0" * (253 - len(info)) + b"\0" + info, "padding of zeros"),
        ("no-parameters", None, "a DigestInfo without its NULL"),
    ]:
        if block is None:
            bare = bytes.fromhex("301f300706052b0e03021a0414") + hashlib.sha1(payload).digest()
            block = b"\0\1" + b"\xff" * (253 - len(bare)) + b"\0" + bare
        value = pow(int.from_bytes(block, "big"), numbers.d, numbers.public_numbers.n)
        bad(f"padding-{name}", [line("rsa-sha1", "rsa", value.to_bytes(256, "big"))], note)
    bad("other-key", [line("rsa-sha1", "rsa-other", sign("rsa-sha1", "rsa-other", payload))], "of a key that is not trusted",
        "unknown-signer")
    bad("id-lies", [line("rsa-sha1", "rsa", sign("rsa-sha1", "rsa-other", payload))], "of another key under a trusted one's id")
    bad("id-of-other", [line("rsa-sha1", "rsa-other", good)], "of a trusted key under another id", "unknown-signer")
    bad("algorithm-lies", [line("rsa-sha256", "rsa", good)], "another algorithm than the key's", "unknown-signer")
    bad("algorithm-honest", [line("rsa-sha256", "rsa", sign("rsa-sha256", "rsa", payload))],
        "a good signature of an algorithm that the key is not trusted for", "unknown-signer")
    bad("rsa-as-ed25519", [line("ed25519", "rsa", good)], "an RSA key's line that says Ed25519", "unknown-signer")
    bad("no-trust", [own], "nobody that is trusted", "unknown-signer", trust=["rsa-other.pem"])
    bad("ed25519-short", [line("ed25519", "ed25519", sign("ed25519", "ed25519", payload)[:63])], "63 bytes", trust=["ed25519.pem"])
    ed_signature = sign("ed25519", "ed25519", payload)
    order = 2**252 + 27742317777372353535851937790883648493
    larger = ed_signature[:32] + (int.from_bytes(ed_signature[32:], "little") + order).to_bytes(32, "little")
    bad("ed25519-malleable", [line("ed25519", "ed25519", larger)], "its second half beyond the group's order", trust=["ed25519.pem"])
    bad("ed25519-zeros", [line("ed25519", "ed25519", bytes(64))], "all zeros", trust=["ed25519.pem"])
    both = {"trust": ["rsa.pem", "ed25519.pem"], "threshold": 2}
    bad("threshold-one-of-two", [own], "one of two", "unknown-signer", **both)
    bad("threshold-same-twice", [own, own], "one key twice for a threshold of two", "unknown-signer", **both)
    bad("threshold-second-bad", [own, line("ed25519", "ed25519", bytes(64))], "the second one does not hold", **both)
    bad("threshold-second-unknown", [own, line("rsa-sha1", "rsa-other", good)], "the second one is of no trusted key",
        "unknown-signer", **both)
    bad("threshold-above-keys", [own, ed], "more than there are keys", "unknown-signer", **(both | {"threshold": 3}))
    bad("threshold-key-named-twice", [own], "a key that is given twice counts once", "unknown-signer",
        trust=["rsa.pem", "rsa-commented.pem"], threshold=2)
    config = {"stage": "config", "code": "config"}
    for name, trust, note in [
        ("weak-rsa", ["rsa-weak.pem"], "an RSA key of 1024 bits"), ("ec", ["ec.pem"], "an EC key"),
        ("rsa-pss", ["rsa-pss.pem"], "an RSA-PSS key"), ("exponent-1", ["rsa-exponent-1.pem"], "an exponent of 1"),
        ("exponent-even", ["rsa-exponent-even.pem"], "an even exponent"),
        ("exponent-long", ["rsa-exponent-long.pem"], "an exponent of 65 bits"),
        ("modulus-even", ["rsa-modulus-even.pem"], "an even modulus"),
        ("trailing", ["rsa-trailing.pem"], "a byte behind the key's DER"),
        ("no-null", ["rsa-no-null.pem"], "rsaEncryption without its NULL"),
        ("small-order", ["ed25519:ed25519-small-order.pem"], "a point of small order"),
        ("small-order-signed", ["ed25519:ed25519-small-order-signed.pem"], "a point of small order, its x negative"),
        ("two-blocks", ["two-blocks.pem"], "two keys in one file"), ("no-block", ["no-block.pem"], "no key in the file"),
        ("private", ["rsa.private.pem"], "a private key"),
        ("two-algorithms", ["rsa-sha1:rsa.pem", "rsa-sha256:rsa.pem"], "one key for two algorithms"),
        ("rsa-for-ed25519", ["ed25519:rsa.pem"], "an algorithm that is not the key's"),
    ]:
        bad(f"key-{name}", [own], note, trust=trust, **config)


def decryption():
    forge = Forge()

    def bad(name, envelope, note, **options):
        case(f"decrypt/{name}", envelope, ("decrypt", "decrypt-failed"), note, **options)

    sound, payload = forge.envelope(), forge.payload()
    bad("other-key", sound, "another script key", scriptKey="script-other.key")
    bad("other-length", sound, "a script key of the other suite", scriptKey="script-32.key")
    lied = Forge()
    lied.delimiter = lambda: DELIMITER + f"{GCM} {script_key_id(lied.key)}\n".encode()
    bad("suite-lies", lied.envelope(), "the delimiter names the other suite")
    other = Forge()
    other.delimiter = lambda: DELIMITER + f"{CBC} {script_key_id(script_key('script-other'))}\n".encode()
    bad("key-id-lies", other.envelope(), "the delimiter names another key")
    bad("id-right-key-wrong", _with_key_id(Forge(key=script_key("script-other")), script_key("script")),
        "sealed with another key than the delimiter names")
    for name, cut, note in [("16-bytes", 16, "an IV alone"), ("31-bytes", 31, "no block"), ("33-bytes", 33, "no multiple of 16"),
                            ("block-cut", len(payload) - 16, "the last block is missing")]:
        bad(f"cbc-{name}", forge.wrap(payload[:cut]), note)
    archive = bytes(forge.zip().bytes)
    room = -len(archive) % 16 or 16
    for name, tail, note in [
        ("zero", bytes(room), "padding of zeros"), ("too-long", bytes(room - 1) + b"\x11", "a padding of 17"),
        ("uneven", (b"\7" * (room - 1) + bytes([room]) if room > 1 else b"\0"), "bytes that differ")]:
        bad(f"cbc-padding-{name}", forge.wrap(cbc(forge.key, payload[:16], archive + tail)), note)
    modern = Forge(suite=GCM)
    sealed = modern.payload()
    gcm = {"scriptKey": "script-32.key"}
    bad("gcm-other-key", modern.envelope(), "another script key", scriptKey="script-32-other.key")
    bad("gcm-other-length", modern.envelope(), "a script key of the other suite")
    bad("gcm-27-bytes", modern.wrap(sealed[:27]), "too short", **gcm)
    bad("gcm-tag", modern.wrap(sealed[:-1] + bytes([sealed[-1] ^ 1])), "a bit of the tag", **gcm)
    bad("gcm-ciphertext", modern.wrap(sealed[:40] + bytes([sealed[40] ^ 1]) + sealed[41:]), "a bit of the ciphertext", **gcm)
    bad("gcm-nonce", modern.wrap(bytes([sealed[0] ^ 1]) + sealed[1:]), "a bit of the nonce", **gcm)
    bad("gcm-label", modern.wrap(seal(modern.key, "main.lua", bytes(modern.zip().bytes))), "the label of a script", **gcm)
    bad("gcm-no-tag", modern.wrap(sealed[:-16]), "no tag", **gcm)


def _with_key_id(forge, named):
    forge.delimiter = lambda: DELIMITER + f"{CBC} {script_key_id(named)}\n".encode()
    # Another key passes the padding check once in 256 times. This one must not.
    while True:
        decryptor = Cipher(algorithms.AES(named), modes.CBC(forge.payload()[:16])).decryptor()
        last = (decryptor.update(forge.payload()[16:]) + decryptor.finalize())[-1]
        if not 1 <= last <= 16:
            return forge.envelope()
        forge.manifest["version"] += 1


def archives():
    forge = Forge()

    def bad(name, change, note, code="malformed", stage="zip"):
        archive = forge.zip()
        archive = change(archive) or archive
        case(f"zip/{name}", forge.wrap(forge.payload(archive)), (stage, code), note)

    def put(value, width, place):
        return lambda z: z.put(value, width, place(z))

    def both(member, field, width, value):
        return lambda z: z.set(member, field, width, value)

    def rename(member, change):
        def apply(z):
            size = z.bytes[z.local[member] + 26]
            for start in (z.local[member] + 30, z.central[member] + 46):
                z.bytes[start:start + size] = change(bytes(z.bytes[start:start + size]))
        return apply

    def rebuild(change):
        return lambda z: forge.zip(change(list(forge.members())))

    def steps(*changes):
        def apply(z):
            for change in changes:
                change(z)
        return apply

    end = lambda offset: lambda z: z.end + offset
    central = lambda member, offset: lambda z: z.central[member] + offset
    local = lambda member, offset: lambda z: z.local[member] + offset

    bad("internal-attributes", lambda z: z.put(2, 2, z.central[1] + 36), "internal attributes other than 0 and 1")
    bad("like-a-zip64-locator", lambda z: z.put(0x4B50, 2, z.central[2] + 36) or z.put(0x81A40706, 4, z.central[2] + 38),
        "attributes that look like the record of a larger archive")
    bad("prefix", lambda z: z.insert(b"\0", 0, True), "a byte before the first member")
    bad("prefix-offsets-right", steps(lambda z: z.insert(b"\0", 0, True), *[
        (lambda m: lambda z: z.put(z.local[m] + 1, 4, z.central[m] + 1 + 42))(m) for m in range(3)]),
        "a byte before the first member, and offsets that know of it")
    bad("suffix", lambda z: z.bytes.extend(b"\0"), "a byte behind the end record")
    bad("gap-between-members", lambda z: z.insert(b"\0", z.local[1], True), "a byte between members")
    bad("gap-before-directory", lambda z: z.insert(b"\0", z.central[0], True), "a byte before the directory")
    bad("gap-behind-directory", lambda z: z.insert(b"\0", z.end, False), "a byte behind the directory")
    bad("comment", steps(put(1, 2, end(20)), lambda z: z.bytes.extend(b"A")), "an archive comment")
    bad("comment-length", put(1, 2, end(20)), "a comment that is not there")

    def grow_central(field, content):
        def apply(z):
            z.put(len(content), 2, z.central[2] + field)
            z.bytes[z.end:z.end] = content
            z.resize_directory()
        return apply
    bad("member-comment", grow_central(32, b"A"), "a member's comment")
    bad("central-extra", grow_central(30, b"\1\0\0\0"), "an extra field in the directory")
    bad("local-extra", lambda z: (z.put(4, 2, z.local[2] + 28), z.insert(b"\1\0\0\0", z.local[2] + 30 + 12, True))[0],
        "an extra field in a local header")
    bad("two-end-records", lambda z: z.bytes.extend(z.bytes[-22:]), "two end records")
    bad("no-end-record", lambda z: z.bytes.__delitem__(slice(-22, None)), "no end record")
    bad("end-record-cut", lambda z: z.bytes.__delitem__(slice(-1, None)), "an end record of 21 bytes")
    bad("end-record-alone", lambda z: z.bytes.__setitem__(slice(None), b"PK\5\6" + bytes(18)), "nothing but an end record")
    bad("empty", lambda z: z.bytes.__setitem__(slice(None), b""), "no bytes")
    bad("not-a-zip", lambda z: z.bytes.__setitem__(slice(None), b"hello, this is no zip at all, is it?"), "something else")
    bad("end-signature", put(0, 4, end(0)), "another signature")
    bad("disk", put(1, 2, end(4)), "the second disk")
    bad("directory-disk", put(1, 2, end(6)), "a directory on the second disk")
    bad("member-disk", put(1, 2, central(0, 34)), "a member on the second disk")
    bad("counts-differ", put(2, 2, end(8)), "two counts that differ")
    bad("count-too-small", steps(put(2, 2, end(8)), put(2, 2, end(10))), "a count of 2 for 3")
    bad("count-too-large", steps(put(4, 2, end(8)), put(4, 2, end(10))), "a count of 4 for 3")
    bad("count-zero", steps(put(0, 2, end(8)), put(0, 2, end(10))), "a count of 0")
    bad("zip64-offset", put(0xFFFFFFFF, 4, end(16)), "an offset that stands for zip64")
    bad("zip64-size", put(0xFFFFFFFF, 4, end(12)), "a size that stands for zip64")
    bad("directory-size", put(1, 4, end(12)), "a directory of one byte")
    bad("directory-offset", lambda z: z.put(z.central[0] - 1, 4, z.end + 16), "an offset one too small")
    bad("directory-offset-past-end", lambda z: z.put(len(z.bytes) + 1, 4, z.end + 16), "an offset past the end")
    for name, flags, note in [
        ("encrypted", 1, "encrypted"), ("descriptor", 8, "a data descriptor"), ("enhanced-deflate", 16, "reserved"),
        ("patched", 32, "patched data"), ("strong-encryption", 64, "strong encryption"), ("utf-8", 0x800, "names in UTF-8"),
        ("masked", 0x2000, "masked headers")]:
        bad(f"flag-{name}", both(1, 6, 2, flags), f"flag: {note}")
    for version in (0, 11, 45, 63, 0x030A):
        bad(f"version-needed-{version}", both(1, 4, 2, version), "a version needed that is neither 10 nor 20")
    for method in (1, 6, 9, 12, 14, 93, 99):
        bad(f"method-{method}", both(1, 8, 2, method), "a method that is neither stored nor deflated")
    bad("deflated-that-is-not", both(1, 8, 2, 8), "says deflated, and is stored")
    bad("crc", both(1, 14, 4, 0x1234), "a wrong CRC")
    bad("crc-of-manifest", both(0, 14, 4, 0), "a wrong CRC of the manifest")
    bad("size-larger", both(1, 22, 4, 33), "a stored member of two sizes")
    bad("sizes-larger", steps(both(1, 18, 4, 33), both(1, 22, 4, 33)), "both sizes a byte too large")
    bad("sizes-smaller", steps(both(1, 18, 4, 31), both(1, 22, 4, 31)), "both sizes a byte too small")
    bad("sizes-past-end", steps(both(2, 18, 4, 1 << 20), both(2, 22, 4, 1 << 20)), "a member that reaches past the end")
    bad("size-zero", steps(both(1, 18, 4, 0), both(1, 22, 4, 0)), "sizes of 0")
    for name, field, width, note in [
        ("version", 4, 2, "version needed"), ("flags", 6, 2, "flags"), ("method", 8, 2, "method"), ("time", 10, 2, "time"),
        ("date", 12, 2, "date"), ("crc", 14, 4, "CRC"), ("stored-size", 18, 4, "size"), ("size", 22, 4, "size"),
        ("name-length", 26, 2, "length of the name")]:
        def change(z, field=field, width=width):
            place = z.local[1] + field
            z.put(int.from_bytes(z.bytes[place:place + width], "little") ^ 2, width, place)
        bad(f"local-{name}-differs", change, f"the local header has another {note}")
    bad("local-name-differs", lambda z: z.bytes.__setitem__(z.local[1] + 30, z.bytes[z.local[1] + 30] ^ 0x20), "another name")
    bad("local-signature", put(0, 4, local(1, 0)), "no local header")
    bad("central-signature", put(0, 4, central(1, 0)), "no central header")
    bad("local-offset", put(1, 4, central(1, 42)), "an offset into a member")
    bad("overlap", put(0, 4, central(1, 42)), "two headers for one member")

    def swap(z):
        first, second = z.central[1], z.central[2]
        z.bytes[first:z.end] = z.bytes[second:z.end] + z.bytes[first:second]
    bad("directory-order", swap, "the directory in another order than the members")
    for name, attributes, note in [
        ("link", 0o120777 << 16, "a symbolic link"), ("folder-mode", 0o040755 << 16, "a folder"),
        ("device", 0o020644 << 16, "a device"), ("fifo", 0o010644 << 16, "a FIFO"), ("socket", 0o140644 << 16, "a socket"),
        ("folder-dos", 0x10, "a folder by its DOS bit"), ("volume-dos", 0x08, "a volume's name by its DOS bit")]:
        bad(f"attributes-{name}", put(attributes, 4, central(1, 38)), note)
    for name, change, note in [
        ("folder", lambda n: n[:-1] + b"/", "a folder"), ("absolute", lambda n: b"/" + n[1:], "an absolute path"),
        ("traversal", lambda n: b"../" + n[3:], "out of its folder"), ("inner-traversal", lambda n: n[:1] + b"/../" + n[5:], "back and out"),
        ("dot-folder", lambda n: b"./" + n[2:], "a dot"), ("empty-folder", lambda n: n[:1] + b"//" + n[3:], "two slashes"),
        ("backslash", lambda n: n[:2] + b"\\" + n[3:], "a backslash"), ("nul", lambda n: n[:-1] + b"\0", "a NUL"),
        ("not-ascii", lambda n: n[:2] + b"\xe9" + n[3:], "a byte beyond ASCII"), ("space", lambda n: n[:2] + b" " + n[3:], "a space"),
        ("drive", lambda n: b"c:" + n[2:], "a drive"), ("line-feed", lambda n: n[:2] + b"\n" + n[3:], "a line feed"),
        ("escape", lambda n: n[:2] + b"\x1b" + n[3:], "an escape character")]:
        bad(f"name-{name}", rename(1, change), note)
    bad("name-empty", rebuild(lambda m: [m[0], ("", m[1][1]), m[2]]), "an empty name")
    bad("no-manifest", rename(0, lambda n: b"n" + n[1:]), "no manifest.json")
    bad("manifest-in-capitals", rename(0, lambda n: b"M" + n[1:]), "Manifest.json")
    bad("name-twice", rebuild(lambda m: m + [m[2]]), "a member twice")
    bad("name-twice-by-case", rebuild(lambda m: m + [("MAIN.lua.aes", m[2][1])]), "two names that differ in case alone")
    bad("130-members", rebuild(lambda m: m + [(f"x{i}", b"") for i in range(127)]), "one member too many", "limit")
    for name, members, note in [
        ("extra-member", lambda m: m + [("extra.lua.aes", b"x")], "a member that the manifest does not list"),
        ("extra-plain-script", lambda m: m + [("main.lua", b"return 1")], "the script itself beside it"),
        ("missing-script", lambda m: m[:2], "the script is missing"), ("missing-digest", lambda m: [m[0], m[2]], "the digest is missing"),
        ("manifest-alone", lambda m: m[:1], "no script at all"), ("manifest-last", lambda m: [m[1], m[2], m[0]], "the manifest last"),
        ("script-before-digest", lambda m: [m[0], m[2], m[1]], "the script before its digest"),
        ("other-digest", lambda m: [m[0], ("main.lua.sha256", m[1][1]), m[2]], "the other suite's digest"),
        ("name-by-case", lambda m: [m[0], m[1], ("Main.lua.aes", m[2][1])], "a capital letter")]:
        bad(f"members-{name}", rebuild(members), note, stage="manifest")

    def deflated(name, content, stream, note, code="malformed", crc_of=None, size=None):
        members = [m if m[0] != name else (name, content) for m in forge.members()]
        archive = Zip(members, {name: stream})
        index = [m[0] for m in members].index(name)
        if size is not None:
            archive.set(index, 22, 4, size)
        return forge.wrap(forge.payload(archive)), ("zip", code), note

    sealed = dict(forge.members())["main.lua.aes"]
    stream = stored_deflate(sealed)
    for name, content, data, size, code, note in [
        ("trailing", sealed, stream + b"\0", None, "malformed", "a byte behind the stream"),
        ("cut", sealed, stream[:-1], None, "malformed", "a stream without its last byte"),
        ("no-final-block", sealed, b"\0" + stream[1:], None, "malformed", "a stream that does not end"),
        ("larger", sealed, stream, len(sealed) - 1, "malformed", "inflates to more than its header says"),
        ("smaller", sealed, stream, len(sealed) + 1, "malformed", "inflates to less than its header says"),
        ("empty-stream", sealed, b"", None, "malformed", "no stream"),
        ("zlib-header", sealed, zlib.compress(sealed, 0), None, "malformed", "a zlib header around the stream"),
        ("bad-block", sealed, b"\7" + stream[1:], None, "malformed", "a block type that is none"),
        ("bomb", bytes(9 << 20), zeros_deflate(9 << 20), None, "limit", "9 MiB of zeros in 58 KB"),
        ("bomb-that-lies", bytes(9 << 20), zeros_deflate(9 << 20), 100, "malformed", "9 MiB whose header says 100 bytes"),
    ]:
        envelope, verdict, note = deflated("main.lua.aes", content, data, note, code, size=size)
        case(f"zip/deflate-{name}", envelope, verdict, note)
    bomb = Forge([("a.lua", b""), ("b.lua", b""), ("c.lua", b"")])
    members = [m if not m[0].endswith(".aes") else (m[0], bytes(8 << 20)) for m in bomb.members()]
    archive = Zip(members, {name: zeros_deflate(8 << 20) for name, _ in members if name.endswith(".aes")})
    case("zip/deflate-bomb-in-parts", bomb.wrap(bomb.payload(archive)), ("zip", "limit"), "three members of 8 MiB")


def manifests():
    def raw(name, content, note, code="malformed"):
        forge = Forge()
        forge.manifest_bytes = content
        case(f"manifest/{name}", forge.envelope(), ("manifest", code), note)

    def changed(name, note, code="malformed", without=(), **fields):
        forge = Forge()
        manifest = {key: value for key, value in (forge.manifest | fields).items() if key not in without}
        raw(name, canonical(manifest), note, code)

    sound = canonical(Forge().manifest)
    text = sound.decode()
    for name, content, note in [
        ("empty", b"", "no bytes"), ("null", b"null", "null"), ("array", b"[]", "an array"), ("string", b'"x"', "a string"),
        ("empty-object", b"{}", "no keys"), ("cut", sound[:-1], "cut short"), ("trailing-byte", sound + b"\0", "a NUL behind"),
        ("trailing-line-feed", sound + b"\n", "a line feed behind"), ("trailing-value", sound + b"{}", "a second value"),
        ("byte-order-mark", b"\xef\xbb\xbf" + sound, "a byte order mark"), ("utf-16", text.encode("utf-16"), "UTF-16"),
        ("space", sound.replace(b":", b": ", 1), "a space"), ("line-feeds", sound.replace(b",", b",\n"), "line feeds"),
        ("leading-space", b" " + sound, "a space in front"), ("comma", sound[:-1] + b",}", "a comma at the end"),
        ("single-quotes", sound.replace(b'"', b"'"), "single quotes"), ("no-quotes", sound.replace(b'"app"', b"app"), "a key without quotes"),
        ("comment", sound[:-1] + b"/**/}", "a comment"), ("key-order", json.dumps(dict(reversed(list(json.loads(text).items()))), separators=(",", ":")).encode(), "another order of the keys"),
        ("script-key-order", sound.replace(b'{"name":"main.lua","size":%d}' % 53, b'{"size":%d,"name":"main.lua"}' % 53), "another order of a script's keys"),
        ("duplicate-key", sound.replace(b'"engine":1', b'"engine":1,"engine":1'), "a key twice"),
        ("duplicate-key-escaped", sound.replace(b'"engine":1', b'"engine":1,"\\u0065ngine":1'), "a key twice, once in escapes"),
        ("escaped-letter", sound.replace(b"Cart.total", b"\\u0043art.total"), "a letter as an escape"),
        ("escaped-slash", sound.replace(b'"version":7', b'"version":7').replace(b'{"app"', b'{"app"').replace(b"main.lua", b"main\\/lua"), "a slash as an escape"),
        ("float", sound.replace(b'"version":7', b'"version":7.0'), "a fraction"), ("exponent", sound.replace(b'"version":7', b'"version":7e0'), "an exponent"),
        ("plus", sound.replace(b'"version":7', b'"version":+7'), "a plus sign"), ("leading-zero", sound.replace(b'"version":7', b'"version":07'), "a leading zero"),
        ("minus-zero", sound.replace(b'"engine":1', b'"engine":-0'), "minus zero"), ("hex", sound.replace(b'"version":7', b'"version":0x7'), "hexadecimal"),
        ("nan", sound.replace(b'"version":7', b'"version":NaN'), "no number"), ("huge", sound.replace(b'"version":7', b'"version":' + b"9" * 400), "a number of 400 digits"),
        ("not-utf-8", sound.replace(b"Cart.total", b"Cart.tot\xe9l"), "Latin-1"), ("overlong", sound.replace(b"Cart", b"C\xc1\xa1rt"), "an overlong form"),
        ("surrogate-bytes", sound.replace(b"Cart", b"\xed\xa0\x80"), "a surrogate in UTF-8"),
        ("lone-surrogate", sound.replace(b'"id"', b'"extra":{"k":"\\ud800"},"id"'), "half of a surrogate pair"),
        ("control-character", sound.replace(b'"replaces"', b'"notes":"a\x01b","replaces"'), "a control character as it is"),
        ("nul-in-string", sound.replace(b"com.example.shop.fix", b"com.example.shop.fix\0"), "a NUL as it is"),
        ("deep", b"[" * 5000 + b"]" * 5000, "5,000 brackets"), ("deep-objects", b'{"a":' * 5000 + b"1" + b"}" * 5000, "5,000 objects"),
        ("one-deep", sound.replace(b'"engine":1', b'"engine":' + b"[" * 40 + b"]" * 40), "40 brackets in a field"),
    ]:
        raw(name, content, note)
    for key in ("schema", "id", "version", "app", "appVersions", "engine", "replaces", "scripts"):
        changed(f"no-{key}", f"no `{key}`", without=[key])
        changed(f"null-{key}", f"`{key}` is null", **{key: None})
    for key in ("created", "expires", "notes", "extra"):
        changed(f"null-{key}", f"`{key}` is null", **{key: None})
    for index, (key, value) in enumerate([
        ("schema", 0), ("schema", 2), ("schema", "1"), ("schema", True), ("id", 7), ("version", "7"), ("version", True), ("version", 0),
        ("version", -1), ("version", 2147483648), ("engine", 0), ("engine", "1"), ("engine", 2147483648), ("app", []), ("appVersions", 2),
        ("replaces", "Cart.total"), ("replaces", {}), ("replaces", [1]), ("replaces", [None]), ("scripts", {}), ("scripts", []),
        ("scripts", ["main.lua"]), ("scripts", [[]]), ("created", 1), ("expires", {}), ("notes", 1), ("notes", ["x"]), ("extra", []),
        ("extra", {"k": 1}), ("extra", {"k": None}), ("extra", {"k": {}}),
    ]):
        changed(f"type-{index + 1}-{key}", f"`{key}` is {json.dumps(value)}", **{key: value})
    changed("unknown-key", "a key that schema 1 does not have", signature="x")
    changed("unknown-key-by-case", "`ID` beside `id`", ID="com.example.x")
    changed("script-unknown-key", "a key of a script that is none", scripts=[{"name": "main.lua", "size": 53, "md5": ""}])
    changed("script-no-size", "a script without a size", scripts=[{"name": "main.lua"}])
    changed("script-no-name", "a script without a name", scripts=[{"size": 53}])
    changed("script-size-text", "a size as text", scripts=[{"name": "main.lua", "size": "53"}])
    changed("script-size-beyond-64-bits", "a size that does not fit into 64 bits", scripts=[{"name": "main.lua", "size": 10**30}])
    changed("script-size-negative", "a negative size", scripts=[{"name": "main.lua", "size": -1}])
    for key in ("id", "app"):
        for index, value in enumerate((
            "", "shop", ".shop", "shop.", "com..shop", "com.example shop", "com.exämple", "com/example", "com.example\n", "com.*",
            "a." + "b" * 127)):
            changed(f"{key}-{index + 1}", f"`{key}` is {json.dumps(value)[:40]}", **{key: value})
    for index, value in enumerate((
        "", " ", "**", "* *", "2.3.0", ">= 2.3.0", ">=2.3.0  <2.5.0", " >=2.3.0", ">=2.3.0 ", ">=2.3.0,<2.5.0", "=>2.3.0", "==2.3.0", "~2.3.0",
        "^2.3.0", "!=2.3.0", ">=", ">=2.", ">=.3", ">=2..3", ">=02.3", ">=2.3.0.0.0", ">=2147483648", ">=-1", ">=2.3.0-beta", ">=2.x", ">=2.3.0 *",
        ">=٢.٣", ">=2.3.0\t<2.5.0", ">=1_0")):
        changed(f"app-versions-{index + 1}", f"`appVersions` is {json.dumps(value)}", appVersions=value)
    for index, value in enumerate((
        "", "1", "1a", "Cart.", ".total", "Cart..total", "Cart.1", "Cart-total", "Cart total", "Cart::total", "Cárt.total", "Cart.total\n", "a" * 129)):
        changed(f"replaces-{index + 1}", f"`replaces` has {json.dumps(value)[:40]}", replaces=[value])
    changed("replaces-twice", "a name twice", replaces=["Cart.total", "Cart.add", "Cart.total"])
    for key in ("created", "expires"):
        for index, value in enumerate((
            "", "2026-11-20", "2026-11-20T12:00:00", "2026-11-20T12:00:00z", "2026-11-20t12:00:00Z", "2026-11-20 12:00:00Z", "2026-11-20T12:00:00+00:00",
            "2026-11-20T12:00:00.0Z", "2026-02-29T12:00:00Z", "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z",
            "2026-01-00T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:60Z", "0000-01-01T00:00:00Z", "02026-01-01T00:00:00Z",
            "２026-01-01T00:00:00Z")):
            if key == "expires" and index % 4:
                continue
            changed(f"{key}-{index + 1}", f"`{key}` is {json.dumps(value)}", **{key: value})
    for index, value in enumerate(("a\x00b", "a\x07b", "a\rb", "a\x1bb", "a\x7fb", "a\x85b", "a\x9fb")):
        changed(f"notes-{index + 1}", f"`notes` has {json.dumps(value)}", notes=value)
    for index, value in enumerate(({"": "v"}, {"a b": "v"}, {"k" * 65: "v"}, {"é": "v"}, {"k/": "v"}, {"k": "a\tb"}, {"k": "a\nb"}, {"k": "a\x9fb"})):
        changed(f"extra-{index + 1}", f"`extra` is {json.dumps(value)[:40]}", extra=value)
    for index, value in enumerate((
        "", ".lua", "main", "main.luac", "main.LUA", "/main.lua", "a//main.lua", "./main.lua", "../main.lua", "a/../main.lua", "a.b/main.lua", "main..lua",
        ".main.lua", "ma in.lua", "mäin.lua", "main.lua\n", "a\\main.lua", "main.lua/", "a" * 125 + ".lua")):
        changed(f"script-name-{index + 1}", f"a script is called {json.dumps(value)[:40]}", scripts=[{"name": value, "size": 53}])
    changed("scripts-twice", "a script twice", scripts=[{"name": "main.lua", "size": 53}] * 2)
    changed("scripts-by-case", "two names that differ in case alone",
            scripts=[{"name": "main.lua", "size": 53}, {"name": "Main.lua", "size": 53}])
    changed("65-scripts", "one script too many", "limit", scripts=[{"name": f"s{i}.lua", "size": 0} for i in range(65)])
    changed("size-above", "a size above the limit", "limit", scripts=[{"name": "main.lua", "size": (8 << 20) + 1}])
    changed("lists-another", "another script than the zip has", scripts=[{"name": "other.lua", "size": 53}])
    changed("lists-more", "more scripts than the zip has",
            scripts=[{"name": "main.lua", "size": 53}, {"name": "other.lua", "size": 1}])
    big = Forge()
    big.manifest["notes"] = "n" * (65537 - len(canonical(big.manifest | {"notes": ""})))
    case("manifest/65537-bytes", big.envelope(), ("zip", "limit"), "one byte too large, which its header says")


def scripts():
    def bad(name, change, note, code="digest-mismatch", suite=CBC, **options):
        forge = Forge(suite=suite)
        members = forge.members()
        members = change(forge, members) or members
        case(f"scripts/{name}", forge.wrap(forge.payload(forge.zip(members))), ("scripts", code), note, **options)

    def digest(change):
        return lambda f, m: [m[0], (m[1][0], change(m[1][1])), m[2]]

    def sealed(make):
        return lambda f, m: [m[0], m[1], (m[2][0], make(f, m[2][1]))]

    def size(value):
        def change(forge, members):
            forge.manifest["scripts"][0]["size"] = value
            return forge.members()
        return change

    bad("digest-of-another", digest(lambda d: hashlib.md5(b"x").hexdigest().encode()), "another script's digest")
    bad("digest-last-digit", digest(lambda d: d[:-1] + (b"0" if d[-1:] != b"0" else b"1")), "its last digit changed")
    bad("digest-in-capitals", digest(bytes.upper), "capital digits")
    bad("digest-line-feed", digest(lambda d: d + b"\n"), "a line feed behind")
    bad("digest-short", digest(lambda d: d[:-1]), "a digit short")
    bad("digest-empty", digest(lambda d: b""), "no digest")
    bad("digest-raw", digest(lambda d: bytes.fromhex(d.decode())), "16 bytes for 32 digits")
    bad("digest-sha256", digest(lambda d: hashlib.sha256(b"").hexdigest().encode()), "64 digits")
    bad("digest-with-name", digest(lambda d: d + b"  main.lua"), "as md5sum writes it")
    bad("size-smaller", size(52), "the manifest says one byte less")
    bad("size-larger", size(54), "the manifest says one byte more")
    bad("size-zero", size(0), "the manifest says no bytes")
    bad("size-at-the-limit", size(8 << 20), "the manifest says as many as there may be")
    bad("other-key", sealed(lambda f, s: seal(script_key("script-other"), "main.lua", f.scripts[0][1])),
        "sealed with another key", "decrypt-failed")
    bad("not-sealed", sealed(lambda f, s: f.scripts[0][1]), "the script itself", "decrypt-failed")
    bad("empty", sealed(lambda f, s: b""), "no bytes", "decrypt-failed")
    bad("iv-alone", sealed(lambda f, s: s[:16]), "an IV alone", "decrypt-failed")
    bad("cut", sealed(lambda f, s: s[:-1]), "no multiple of 16", "decrypt-failed")
    bad("block-cut", sealed(lambda f, s: s[:-16]), "the last block is missing", "decrypt-failed")
    bad("block-more", sealed(lambda f, s: s + s[-16:]), "a block too many", "decrypt-failed")
    bad("other-iv", sealed(lambda f, s: bytes([s[0] ^ 1]) + s[1:]), "a bit of the IV: the first character")
    bad("padding", sealed(lambda f, s: cbc(f.key, s[:16], f.scripts[0][1] + bytes(-len(f.scripts[0][1]) % 16 or 16))),
        "padding of zeros", "decrypt-failed")
    modern = {"suite": GCM, "scriptKey": "script-32.key"}
    bad("gcm-tag", sealed(lambda f, s: s[:-1] + bytes([s[-1] ^ 1])), "a bit of the tag", "decrypt-failed", **modern)
    bad("gcm-label", sealed(lambda f, s: seal(f.key, "other.lua", f.scripts[0][1])), "the label of another script",
        "decrypt-failed", **modern)
    bad("gcm-label-envelope", sealed(lambda f, s: seal(f.key, "envelope", f.scripts[0][1])), "the envelope's label",
        "decrypt-failed", **modern)
    bad("gcm-short", sealed(lambda f, s: s[:27]), "27 bytes", "decrypt-failed", **modern)
    bad("gcm-digest-in-capitals", digest(bytes.upper), "capital digits", **modern)
    bundle = Forge([("main.lua", b"one"), ("lib/a.lua", b"two")])
    members = bundle.members()
    swapped = [members[0], members[1], (members[2][0], members[4][1]), members[3], (members[4][0], members[2][1])]
    case("scripts/swapped", bundle.wrap(bundle.payload(bundle.zip(swapped))), ("scripts", "digest-mismatch"),
         "two scripts of one size, each in the other's place")
    first = [members[0], (members[1][0], hashlib.md5(b"x").hexdigest().encode()), *members[2:4], (members[4][0], members[4][1][:-1])]
    case("scripts/first-changed-second-cut", bundle.wrap(bundle.payload(bundle.zip(first))), ("scripts", "digest-mismatch"),
         "the first script's digest is found wrong before the second is opened")
    second = [*members[:4], (members[4][0], members[4][1][:-1])]
    case("scripts/second-cut", bundle.wrap(bundle.payload(bundle.zip(second))), ("scripts", "decrypt-failed"),
         "the first is sound, the second is not")


def policies():
    def bad(name, note, manifest=None, **options):
        forge = Forge()
        forge.manifest |= manifest or {}
        case(f"policy/{name}", forge.envelope(), ("policy", "policy"), note, **options)

    bad("other-app", "another app", app="com.example.other")
    bad("app-by-case", "another case", app="com.example.Shop")
    bad("app-prefix", "the beginning of the app's name", app="com.example")
    bad("no-app", "no app", app="")
    bad("version-below", "below the range", appVersion="2.2.9")
    bad("version-above", "the range's end, which is not in it", appVersion="2.5.0")
    bad("version-text", "compared as numbers, and not as text", {"appVersions": "<=2.9"}, appVersion="2.10")
    bad("version-four-parts", "the fourth part counts", {"appVersions": "=10.1.68"}, appVersion="10.1.68.52")
    bad("empty-range", "a range that holds no version", {"appVersions": ">2 <1"}, appVersion="1.5")
    bad("engine", "a newer engine", {"engine": 2}, engine=1)
    bad("engine-largest", "the largest engine", {"engine": 2147483647}, engine=2147483646)
    bad("floor", "below the floor", floor=8)
    bad("expired", "an hour ago", {"expires": "2026-11-20T11:00:00Z"}, at="2026-11-20T12:00:00Z")
    bad("expires-now", "at its very second", {"expires": "2026-11-20T12:00:00Z"}, at="2026-11-20T12:00:00Z")
    bad("expired-long-ago", "in the first year", {"expires": "0001-01-01T00:00:00Z"}, at="2026-11-20T12:00:00Z")


def main(arguments):
    if "--keys" in arguments:
        make_keys()
    for make in (accepted, framing, signatures, decryption, archives, manifests, scripts, policies):
        make()
    names = [entry["file"] for entry, _ in CASES]
    assert len(set(names)) == len(names), [n for n in names if names.count(n) > 1]
    files = {entry["file"]: content for entry, content in CASES if content is not None}
    lines = ",\n".join("    " + json.dumps(entry, ensure_ascii=False) for entry, _ in CASES)
    files["index.json"] = f'{{\n  "defaults": {json.dumps(DEFAULTS)},\n  "cases": [\n{lines}\n  ]\n}}\n'.encode()
    if "--check" in arguments:
        kept = {str(p.relative_to(HERE)) for p in HERE.glob("*/*.js")} | {"index.json"}
        wrong = [name for name in sorted(kept | files.keys())
                 if name not in files or name not in kept or (HERE / name).read_bytes() != files[name]]
        print("\n".join(f"{name}: not what generate.py makes" for name in wrong) or f"{len(CASES)} vectors are what generate.py makes")
        return 1 if wrong else 0
    for old in HERE.glob("*/*.js"):
        old.unlink()
    for name, content in files.items():
        (HERE / name).parent.mkdir(exist_ok=True)
        (HERE / name).write_bytes(content)
    print(f"{len(CASES)} vectors, {sum(entry['verdict'] == 'accepted' for entry, _ in CASES)} of them accepted")
    return 0


sys.exit(main(sys.argv[1:]))
