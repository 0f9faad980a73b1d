"""Takes the zips and the manifests out of the vectors, as first inputs of the targets that are behind a signature.

usage: seeds.py FOLDER   (writes FOLDER/zip, FOLDER/manifest and FOLDER/metadata)
"""

import json
import pathlib
import struct
import sys

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

VECTORS = pathlib.Path(__file__).resolve().parent.parent / "Tests" / "Vectors"


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
                # What is signed, on its own: the target signs it again.
                try:
                    (folder / "metadata" / f"{name}-signed").write_text(json.dumps(json.loads(text)["signed"]))
                except (ValueError, KeyError):
                    pass


main(pathlib.Path(sys.argv[1]))
feed(pathlib.Path(sys.argv[1]))
