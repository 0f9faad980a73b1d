#!/usr/bin/env python3
"""Prints a bill of materials (SPDX 2.3, JSON): the libraries that the tool is linked with, and the ones that are compiled into it.

    sbom.py PATCHPACK
"""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import urllib.parse
from datetime import datetime, timezone


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def package(name, version, license="NOASSERTION", url=None):
    return {
        "SPDXID": "SPDXRef-" + re.sub("[^A-Za-z0-9.-]", "-", name), "name": name, "versionInfo": version,
        "downloadLocation": "NOASSERTION", "licenseConcluded": "NOASSERTION", "licenseDeclared": license,
        "copyrightText": "NOASSERTION", "filesAnalyzed": False,
        **({"externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": url}]} if url else {}),
    }


def in_debian(path, license="NOASSERTION"):
    """The Debian package that has a file."""
    system = re.search(r"^ID=(.*)$", pathlib.Path("/etc/os-release").read_text(), re.M)[1]
    for place in (path, os.path.realpath(path), os.path.realpath(path).removeprefix("/usr")):
        if found := subprocess.run(["dpkg-query", "-S", place], capture_output=True, text=True).stdout:
            name = re.split("[:,]", found)[0]
            number = output("dpkg-query", "-W", "-f", "${Version}", found.split(": ")[0].split(",")[0])
            return package(name, number, license, f"pkg:deb/{system}/{name}@{number.replace('+', '%2B').replace(':', '%3A')}")
    sys.exit(f"sbom.py: no package has {path}")


def main():
    tool = sys.argv[1]
    version = output(tool, "--version").split(" ", 1)[1].strip()
    digest = hashlib.sha256(pathlib.Path(tool).read_bytes()).hexdigest()
    this = package("patchpack", version, "MIT")
    this["checksums"] = [{"algorithm": "SHA256", "checksumValue": digest}]
    # The tool loads libzip by itself (Sources/CLibzipLoader).
    libraries = re.findall(r"=> (/\S+)", output("ldd", tool)) + re.findall(r"libzip\.so\.\d.* => (/\S+)", output("/sbin/ldconfig", "-p"))
    linked = {found["name"]: found for found in map(in_debian, libraries)}
    swift = re.search(r"Swift version (\S+)", output(os.environ.get("SWIFT", "swift"), "--version"))[1]
    inside = [package("swift-runtime", swift, "Apache-2.0")]
    if "libstdc++" not in output("ldd", tool):
        clang = output(str(pathlib.Path(__file__).parents[1] / "toolchain.sh")).strip() + "/clang"
        inside.append(in_debian(output(clang, "-print-file-name=libstdc++.a").strip(), "GPL-3.0-or-later WITH GCC-exception-3.1"))
    packages = sorted(linked.values(), key=lambda p: p["name"])
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", this)]
    relations += [(this["SPDXID"], "DYNAMIC_LINK", other) for other in packages]
    relations += [(this["SPDXID"], "STATIC_LINK", other) for other in inside]
    when = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", 0)) or datetime.now().timestamp(), timezone.utc)
    print(json.dumps({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"patchpack-{version}",
        "documentNamespace": f"https://patchpack.invalid/spdx/{urllib.parse.quote(version)}/{digest}",
        "creationInfo": {"created": when.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: sbom.py"]},
        "packages": [this, *packages, *inside],
        "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b["SPDXID"]} for a, kind, b in relations],
    }, indent=2))


main()
