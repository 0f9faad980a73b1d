#!/usr/bin/env bash
# Makes and checks an attestation: an in-toto statement about an envelope's payload, signed with an Ed25519 key in a DSSE envelope.
# usage: attest.sh sign KEY.pem NAME PAYLOAD-SHA256 BUILDER-URI COMMIT >FILE     the statement names the builder and the commit
#        attest.sh check PUBLIC-KEY.pem NAME PAYLOAD-SHA256 <FILE                prints the statement if it is about that payload
#        attest.sh bytes KEY.pem <FILE >SIGNATURE                                signs a file as it is
# `check` needs python3. It exits with 10 for what is no such file, 11 if the key has not signed it, and 34 if it states something else.
# If KEY.pem is -, the program in SIGNATURE_COMMAND signs: it reads the bytes, and writes their signature.
set -euo pipefail

type=application/vnd.in-toto+json
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What is signed: the statement's type and bytes, each after its length (DSSE, "PAE").
pae() { printf 'DSSEv1 %d %s %d ' ${#type} "$type" "$(wc -c <"$1")" && cat "$1"; }

# Signs a file with a key.
signature() {
  if [ "$1" = - ]; then
    sh -c "${SIGNATURE_COMMAND:?is the program that signs}" <"$2"
  else
    openssl pkeyutl -sign -rawin -inkey "$1" -in "$2"
  fi
}

case ${1:-} in
bytes)
  [ $# -eq 2 ] || { sed -n '5p' "$0" >&2; exit 64; }
  cat >"$work/file"
  signature "$2" "$work/file"
  ;;
sign)
  [ $# -eq 6 ] || { sed -n '3p' "$0" >&2; exit 64; }
  key=$2 name=$3 hash=$4 builder=$5 commit=$6
  # No value needs an escape in JSON.
  for value in "$name" "$hash" "$builder" "$commit"; do
    [[ $value =~ ^[A-Za-z0-9._~:/@?=+-]+$ ]] || { echo "attest.sh: $value has a character that is not of names and URIs" >&2; exit 64; }
  done
  printf '{"_type":"https://in-toto.io/Statement/v1","subject":[{"name":"%s","digest":{"sha256":"%s"}}],%s}' "$name" "$hash" \
    "\"predicateType\":\"https://slsa.dev/provenance/v1\",\"predicate\":{\"buildDefinition\":{\"buildType\":\"https://slsa.dev/build-types/none\",\"externalParameters\":{},\"resolvedDependencies\":[{\"digest\":{\"gitCommit\":\"$commit\"}}]},\"runDetails\":{\"builder\":{\"id\":\"$builder\"}}}" \
    >"$work/statement"
  pae "$work/statement" >"$work/signed"
  signature "$key" "$work/signed" >"$work/signature"
  printf '{"payloadType":"%s","payload":"%s","signatures":[{"sig":"%s"}]}\n' "$type" "$(base64 -w 0 <"$work/statement")" \
    "$(base64 -w 0 <"$work/signature")"
  ;;
check)
  [ $# -eq 4 ] || { sed -n '4p' "$0" >&2; exit 64; }
  cat >"$work/file"
  # -I: no module comes from the current folder, which may be a download, or from the user's environment.
  python3 -I - "$work" "${@:2}" <<'END'
import base64, json, subprocess, sys

work, key, name, digest = sys.argv[1:]
TYPE = "application/vnd.in-toto+json"


def refuse(status, reason):
    print(f"attest.sh: {reason}", file=sys.stderr)
    sys.exit(status)


def signed(signature):
    open(f"{work}/signature", "wb").write(signature)
    openssl = ["openssl", "pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", key, "-in", f"{work}/signed", "-sigfile", f"{work}/signature"]
    return subprocess.run(openssl, capture_output=True).returncode == 0


if subprocess.run(["openssl", "pkey", "-pubin", "-noout", "-in", key], capture_output=True).returncode != 0:
    refuse(78, f"{key}: no public key that openssl can read")
try:
    envelope = json.load(open(f"{work}/file", "rb"))
    kind, payload = envelope["payloadType"].encode(), base64.b64decode(envelope["payload"], validate=True)
    signatures = [base64.b64decode(signature["sig"], validate=True) for signature in envelope["signatures"]]
except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
    refuse(10, "the file is not a signed statement (a DSSE envelope in JSON)")
# DSSE's "PAE": the type and the bytes, each after its length.
open(f"{work}/signed", "wb").write(b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload))
if not any(map(signed, signatures)):
    refuse(11, "the key has not signed this statement")
try:
    statement = json.loads(payload)
    kinds = (kind.decode(), statement["_type"], statement["predicateType"])
    subjects = [(subject["name"], subject["digest"].get("sha256", "").lower()) for subject in statement["subject"]]
except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
    refuse(10, "the key has signed something that is not an in-toto statement")
if kinds != (TYPE, "https://in-toto.io/Statement/v1", "https://slsa.dev/provenance/v1"):
    refuse(34, f"it is not about where a payload comes from: {json.dumps(kinds)}")
if (name, digest.lower()) not in subjects:
    refuse(34, f"it is about another payload: {json.dumps(subjects)}")
sys.stdout.buffer.write(payload + b"\n")
END
  ;;
*)
  sed -n '3,7p' "$0" >&2
  exit 64
  ;;
esac
