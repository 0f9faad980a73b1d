"""A second reader of envelope format 1, written from docs/format.md alone.

    python3 verifier.py [index.json]
    python3 verifier.py --open ENVELOPE SCRIPT_KEY [ALGORITHM:]TRUSTED_KEY...

The first goes through an index of envelopes and their verdicts (by default the one beside this file), prints a line for each
case that it judges otherwise, and exits with 1 if there are any. The second prints the name and the SHA-256 of each script of an
envelope that all of these keys have signed. It shares no code with the Swift reader, and parses the
zip and the manifest itself: `zipfile` and `json` let pass a good deal that the format does not.
"""

import base64
import contextlib
import datetime
import hashlib
import json
import operator
import re
import struct
import sys
import zlib
from pathlib import Path

from cryptography.exceptions import InternalError, InvalidSignature, InvalidTag, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ed25519, padding, rsa
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

INT_MAX = 2147483647
MIB = 1 << 20
LIMITS = {"envelope": 16 * MIB, "lines": 8, "base64": 1368, "members": 129, "manifest": 64 << 10,
          "member": 8 * MIB + 32, "total": 16 * MIB, "scripts": 64, "script": 8 * MIB}


class Refused(Exception):
    def __init__(self, stage, code):
        super().__init__(f"refused at {stage} with {code}")
        self.stage, self.code = stage, code


def require(condition, stage, code):
    if not condition:
        raise Refused(stage, code)


def check(condition):
    """To be used within `refusing`, which knows the stage and the code."""
    if not condition:
        raise ValueError


@contextlib.contextmanager
def refusing(stage, code):
    try:
        yield
    except (ValueError, OSError, RecursionError, zlib.error, InternalError, InvalidTag, UnsupportedAlgorithm):
        raise Refused(stage, code) from None


# Keys

RSA_HASHES = {"rsa-sha1": hashes.SHA1, "rsa-sha256": hashes.SHA256}
PEM = re.compile(rb"^-----BEGIN PUBLIC KEY-----\r?\n([A-Za-z0-9+/=\r\n]+)^-----END PUBLIC KEY-----\r?$", re.MULTILINE)
P = 2**255 - 19
D = -121665 * pow(121666, -1, P) % P


def read_trust(folder, names):
    """The trusted keys, as pairs of an algorithm and a public key object."""
    trust, bound = [], {}
    with refusing("config", "config"):
        for name in names:
            algorithm, _, file = name.rpartition(":")
            key = read_public_key((Path(folder) / file).read_bytes())
            possible = ["ed25519"] if isinstance(key, ed25519.Ed25519PublicKey) else list(RSA_HASHES)
            algorithm = algorithm or possible[0]
            check(algorithm in possible and bound.setdefault(key_id(key), algorithm) == algorithm)
            trust.append((algorithm, key))
    return trust


def read_public_key(pem):
    blocks = PEM.findall(pem)
    check(len(blocks) == len(re.findall(rb"^-----BEGIN ", pem, re.MULTILINE)) == 1)
    der = decode_base64(re.sub(rb"[\r\n]", b"", blocks[0]))
    key = serialization.load_der_public_key(der)
    check(isinstance(key, (rsa.RSAPublicKey, ed25519.Ed25519PublicKey)) and encoded(key) == der)
    if isinstance(key, ed25519.Ed25519PublicKey):
        check_point(der[-32:])
    else:
        n, e = key.public_numbers().n, key.public_numbers().e
        check(2048 <= n.bit_length() <= 8192 and n % 2 == 1 and e % 2 == 1 and 3 <= e < 1 << 64)
    return key


def check_point(raw):
    """Refuses the points whose order divides 8, also where y is beyond the prime; a value that is not a point verifies nothing."""
    y = (int.from_bytes(raw, "little") & (1 << 255) - 1) % P
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * pow(2, (P - 1) // 4, P) % P
    if x * x % P != square:
        return
    for _ in range(3):
        product = D * x * x * y * y % P
        x, y = 2 * x * y * pow(1 + product, -1, P) % P, (y * y + x * x) * pow(1 - product, -1, P) % P
    check((x, y) != (0, 1))


def encoded(key):
    return key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)


def key_id(key):
    return hashlib.sha256(encoded(key)).hexdigest()[:16]


def read_script_key(file):
    with refusing("config", "config"):
        match = re.fullmatch(rb"([0-9a-f]{32}|[0-9a-f]{64})\n?", file.read_bytes())
        check(match)
        return bytes.fromhex(match[1].decode())


def decode_base64(text):
    data = base64.b64decode(text, validate=True)
    check(data and base64.b64encode(data) == text)
    return data


# Layout and signatures

MARKER = b"\n--patchpack-envelope-1 "
WINDOW = 65536
HEAD = re.compile(rb"(aes-128-cbc\+md5|aes-256-gcm\+sha256) ([0-9a-f]{16})")
LINE = re.compile(rb"(rsa-sha1|rsa-sha256|ed25519) ([0-9a-f]{16}) ([A-Za-z0-9+/]+={0,2})")


def split(envelope, limits):
    """The payload, the suite, the script key's id, and the lines as (algorithm, key id, signature)."""
    start = envelope.rfind(MARKER, max(0, len(envelope) - WINDOW))
    check(start >= 0 and envelope.endswith(b"\n"))
    first, *rest = envelope[start + len(MARKER):-1].split(b"\n")
    head, matches = HEAD.fullmatch(first), [LINE.fullmatch(line) for line in rest]
    check(head and matches and all(matches))
    lines = [(match[1].decode(), match[2].decode(), decode_base64(match[3])) for match in matches]
    within = len(lines) <= limits["lines"] and all(len(match[3]) <= limits["base64"] for match in matches)
    require(within, "split", "limit")
    return envelope[:start], head[1].decode(), head[2].decode(), lines


def holds(algorithm, key, signature, payload):
    size, scheme = 64, ()
    if algorithm != "ed25519":
        size, scheme = (key.key_size + 7) // 8, (padding.PKCS1v15(), RSA_HASHES[algorithm]())
    try:
        key.verify(signature, payload, *scheme)
    except InvalidSignature:
        return False
    return len(signature) == size


def check_signatures(payload, lines, trust, threshold):
    keys = {(algorithm, key_id(key)): key for algorithm, key in trust}
    results = [(line[1], holds(line[0], keys[line[:2]], line[2], payload)) for line in lines if line[:2] in keys]
    if len({identifier for identifier, held in results if held}) < threshold:
        raise Refused("signature", "unknown-signer" if all(held for _, held in results) else "bad-signature")


# Sealing

SUITES = {16: ("aes-128-cbc+md5", "md5"), 32: ("aes-256-gcm+sha256", "sha256")}


def unseal(key, sealed, label):
    if len(key) == 32:
        check(len(sealed) >= 28)
        return AESGCM(key).decrypt(sealed[:12], sealed[12:], label.encode())
    check(len(sealed) >= 32 and len(sealed) % 16 == 0)
    decryptor = Cipher(algorithms.AES(key), modes.CBC(sealed[:16])).decryptor()
    padded = decryptor.update(sealed[16:]) + decryptor.finalize()
    count = padded[-1]
    check(1 <= count <= 16 and padded.endswith(bytes([count]) * count))
    return padded[:-count]


# The zip

CENTRAL = struct.Struct("<4sHHHHHHIIIHHHHHII")
END = struct.Struct("<4sHHHHIIH")
MEMBER_NAME = re.compile(rb"[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*")


def read_zip(archive, limits):
    """The members' bytes by name, in the archive's order."""
    check(len(archive) >= END.size)
    end = len(archive) - END.size
    magic, disk, first_disk, here, count, size, start, comment = END.unpack(archive[end:])
    check(magic == b"PK\x05\x06" and (disk, first_disk, comment) == (0, 0, 0) and here == count and start + size == end)
    require(count <= limits["members"], "zip", "limit")
    area, directory, members, offset, at = archive[:start], archive[start:end], {}, 0, 0
    for _ in range(count):
        name, member, offset, at = read_member(area, offset, directory, at)
        members[name] = member
    check(offset == start and at == size and "manifest.json" in members)
    check(len({name.lower() for name in members}) == count)
    sizes = {name: member[0] for name, member in members.items()}
    require(sizes["manifest.json"] <= limits["manifest"], "zip", "limit")
    require(max(sizes.values()) <= limits["member"] and sum(sizes.values()) <= limits["total"], "zip", "limit")
    return {name: inflate(*member) for name, member in members.items()}


def read_member(area, offset, directory, at):
    """A name, the input of `inflate`, and where the next local and central headers are to begin."""
    header = directory[at:at + CENTRAL.size]
    check(len(header) == CENTRAL.size)
    (magic, _made_by, needed, flags, method, _time, _date, crc, packed, size, name_size, extra, comment, disk,
     internal, external, local) = CENTRAL.unpack(header)
    check(magic == b"PK\x01\x02" and needed in (10, 20) and flags & ~6 == 0 and method in (0, 8))
    check((extra, comment, disk, local) == (0, 0, 0, offset) and (packed == size or method == 8))
    check(internal in (0, 1))
    check(external >> 16 & 0xF000 in (0, 0x8000) and external & 0x18 == 0)
    next_at = at + CENTRAL.size + name_size
    name = directory[at + CENTRAL.size:next_at]
    check(len(name) == name_size and MEMBER_NAME.fullmatch(name) and not {b".", b".."} & set(name.split(b"/")))
    local_header = b"PK\x03\x04" + header[6:32] + name
    data = offset + len(local_header)
    check(area[offset:data] == local_header and data + packed <= len(area))
    return name.decode(), (size, method, crc, area[data:data + packed]), data + packed, next_at


def inflate(size, method, crc, data):
    if method == 8:
        stream = zlib.decompressobj(-zlib.MAX_WBITS)
        data = stream.decompress(data, size + 1)
        check(stream.eof and not stream.unused_data)
    check(len(data) == size and zlib.crc32(data) == crc)
    return data


# The manifest

ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
ESCAPES = {chr(code): f"\\u{code:04x}" for code in range(0x20)} | ESCAPES
LABELS = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)+")
REPLACED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*([.:][A-Za-z_][A-Za-z0-9_]*)*")
SCRIPT_NAME = re.compile(r"([A-Za-z0-9_-]+/)*[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.lua")
VERSION = re.compile(r"(0|[1-9][0-9]{0,9})(\.(0|[1-9][0-9]{0,9})){0,3}")
TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")
NOTES = re.compile(r"[^\x00-\x08\x0b-\x1f\x7f-\x9f]*")
EXTRA_KEY = re.compile(r"[A-Za-z0-9._-]{1,64}")
EXTRA_VALUE = re.compile(r"[^\x00-\x1f\x7f-\x9f]*")
COMPARISONS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt, "=": operator.eq}


def canonical(value):
    if isinstance(value, dict):
        return "{" + ",".join(f"{canonical(k)}:{canonical(value[k])}" for k in sorted(value, key=str.encode)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    return f'"{"".join(ESCAPES.get(c, c) for c in value)}"' if isinstance(value, str) else str(value)


def text(pattern, most=sys.maxsize):
    return lambda value: check(isinstance(value, str) and len(value) <= most and pattern.fullmatch(value))


def integer(least, most=2**63 - 1):
    return lambda value: check(type(value) is int and least <= value <= most)


def check_time(value):
    text(TIME)(value)
    datetime.datetime.strptime(value, "%Y-%m-%dT%H:%M:%SZ")


def parse_version(value):
    text(VERSION)(value)
    numbers = [int(part) for part in value.split(".")]
    check(max(numbers) <= INT_MAX)
    return numbers + [0] * (4 - len(numbers))


def parse_comparisons(value):
    check(isinstance(value, str))
    parts = [] if value == "*" else [re.fullmatch(r"([<>]=?|=)([0-9.]+)", part) for part in value.split(" ")]
    check(all(parts))
    return [(COMPARISONS[part[1]], parse_version(part[2])) for part in parts]


def check_replaces(value):
    check_each(value, text(REPLACED, 128))
    check(len(set(value)) == len(value))


def check_scripts(value):
    check_each(value, lambda script: check_object(script, {"name": text(SCRIPT_NAME, 128), "size": integer(0)}))
    check(value and len({script["name"].lower() for script in value}) == len(value))


def check_extra(value):
    check(isinstance(value, dict))
    check_each(list(value), text(EXTRA_KEY))
    check_each(list(value.values()), text(EXTRA_VALUE))


def check_each(value, check_element):
    check(isinstance(value, list))
    for element in value:
        check_element(element)


def check_object(value, required, optional={}):
    check(isinstance(value, dict) and required.keys() <= value.keys())
    for key, element in value.items():
        check(key in required or key in optional)
        (required | optional)[key](element)


POSITIVE = integer(1, INT_MAX)
REQUIRED = {"schema": integer(1, 1), "id": text(LABELS, 128), "app": text(LABELS, 128), "version": POSITIVE,
            "engine": POSITIVE, "appVersions": parse_comparisons, "replaces": check_replaces, "scripts": check_scripts}
OPTIONAL = {"created": check_time, "expires": check_time, "notes": text(NOTES), "extra": check_extra}


def read_manifest(files, digest, limits):
    manifest = json.loads(files["manifest.json"].decode("utf-8"))
    check_object(manifest, REQUIRED, OPTIONAL)
    check(canonical(manifest).encode("utf-8") == files["manifest.json"])
    scripts = manifest["scripts"]
    within = len(scripts) <= limits["scripts"] and all(script["size"] <= limits["script"] for script in scripts)
    require(within, "manifest", "limit")
    listed = [f"{script['name']}.{suffix}" for script in scripts for suffix in (digest, "aes")]
    check(list(files) == ["manifest.json", *listed])
    return manifest


# Reading


def open_scripts(listed, files, script_key, digest):
    scripts = {}
    for name, size in ((script["name"], script["size"]) for script in listed):
        with refusing("scripts", "decrypt-failed"):
            scripts[name] = unseal(script_key, files[f"{name}.aes"], name)
        actual = hashlib.new(digest, scripts[name], usedforsecurity=False).hexdigest().encode()
        require(len(scripts[name]) == size and files[f"{name}.{digest}"] == actual, "scripts", "digest-mismatch")
    return scripts


def check_policy(manifest, policy):
    if "app" in policy:
        check(policy["app"] == manifest["app"])
    if "appVersion" in policy:
        version = parse_version(policy["appVersion"])
        check(all(compare(version, bound) for compare, bound in parse_comparisons(manifest["appVersions"])))
    if "at" in policy and "expires" in manifest:
        check(policy["at"] < manifest["expires"])
    check(policy.get("engine", INT_MAX) >= manifest["engine"] and policy.get("floor", 0) <= manifest["version"])


def verify(envelope, trust, script_key, threshold=1, policy={}, limits=None):
    """The manifest and the scripts of an envelope that holds all that it must; else `Refused` is raised."""
    limits = LIMITS | (limits or {})
    with refusing("config", "config"):
        check(len(script_key) in SUITES and threshold >= 1)
        parse_version(policy.get("appVersion", "0"))
        check_time(policy.get("at", "0001-01-01T00:00:00Z"))
    require(len(envelope) <= limits["envelope"], "read", "limit")
    require(len(envelope) >= 16, "read", "malformed")
    with refusing("split", "malformed"):
        payload, suite, identifier, lines = split(envelope, limits)
    check_signatures(payload, lines, trust, threshold)
    own_suite, digest = SUITES[len(script_key)]
    with refusing("decrypt", "decrypt-failed"):
        own_identifier = hashlib.sha256(b"patchpack script key\n" + script_key).hexdigest()[:16]
        check((suite, identifier) == (own_suite, own_identifier))
        archive = unseal(script_key, payload, "envelope")
    with refusing("zip", "malformed"):
        files = read_zip(archive, limits)
    with refusing("manifest", "malformed"):
        manifest = read_manifest(files, digest, limits)
    scripts = open_scripts(manifest["scripts"], files, script_key, digest)
    with refusing("policy", "policy"):
        check_policy(manifest, policy)
    return manifest, scripts


# The index


def judge(folder, case):
    """The verdict in words, and the scripts' digests where it is accepted."""
    try:
        trust = read_trust(folder / "keys", case["trust"])
        script_key = read_script_key(folder / "keys" / case["scriptKey"])
        policy = {key: case[key] for key in ("app", "appVersion", "engine", "floor", "at") if case.get(key) is not None}
        threshold = 1 if case.get("threshold") is None else case["threshold"]
        envelope = bytes(case["zeros"]) if "zeros" in case else (folder / case["file"]).read_bytes()
        _, scripts = verify(envelope, trust, script_key, threshold, policy)
    except Refused as refusal:
        return str(refusal), None
    except Exception as error:
        return f"no verdict but {error!r}", None
    return "accepted", {name: hashlib.sha256(script).hexdigest() for name, script in scripts.items()}


def disagreement(folder, case):
    expected = "accepted" if case["verdict"] == "accepted" else f"refused at {case['stage']} with {case['code']}"
    verdict, scripts = judge(folder, case)
    if verdict == expected == "accepted" and scripts != case["scripts"]:
        verdict = f"accepted with other scripts: {json.dumps(scripts)}"
    name = case.get("file") or f"{case['zeros']} zeros"
    return [f"{name}: expected {expected}, got {verdict}"] if verdict != expected else []


def open_envelope(envelope, script_key, *trusted):
    trust = read_trust(".", trusted)
    _, scripts = verify(Path(envelope).read_bytes(), trust, read_script_key(Path(script_key)), len(trust))
    for name, script in scripts.items():
        print(name, hashlib.sha256(script).hexdigest())


def main(arguments):
    if arguments[:1] == ["--open"]:
        return open_envelope(*arguments[1:])
    path = Path(arguments[0]) if arguments else Path(__file__).with_name("index.json")
    index = json.loads(path.read_text(encoding="utf-8"))
    cases = [index.get("defaults", {}) | case for case in index["cases"]]
    disagreements = [line for case in cases for line in disagreement(path.parent, case)]
    print(*disagreements, f"{len(cases)} cases, {len(disagreements)} disagreements", sep="\n")
    return 1 if disagreements else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
