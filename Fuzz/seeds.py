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
    lines += [line("withdrawn", 1), line("deactivated", 2), line("launched", 3, **{"patch.running": [{"patch.id": "com.example.fix", "patch.version": 1}, {"patch.id": "b", "patch.version": 2}]})]
    for number, text in enumerate([*lines, "\n".join(lines)]):
        (folder / "events" / str(number)).write_text(text)


main(pathlib.Path(sys.argv[1]))
events(pathlib.Path(sys.argv[1]))
feed(pathlib.Path(sys.argv[1]))
