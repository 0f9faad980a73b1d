#!/usr/bin/env bash
# Makes and checks an attestation: an in-toto statement about an envelope's payload, signed with an Ed25519 key in a DSSE envelope.
# usage: attest.sh sign KEY.pem NAME PAYLOAD-SHA256 BUILDER-URI COMMIT >FILE     the statement names the builder and the commit
#        attest.sh check PUBLIC-KEY.pem PAYLOAD-SHA256 <FILE                     prints the statement if it is about that payload
#        attest.sh bytes KEY.pem <FILE >SIGNATURE                                signs a file as it is
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
  [ $# -eq 3 ] || { sed -n '4p' "$0" >&2; exit 64; }
  cat >"$work/file"
  member() { grep -o "\"$1\":\"[A-Za-z0-9+/=]*\"" "$work/file" | head -n 1 | cut -d'"' -f4 | base64 -d; }
  member payload >"$work/statement"
  member sig >"$work/signature"
  pae "$work/statement" >"$work/signed"
  openssl pkeyutl -verify -rawin -pubin -inkey "$2" -in "$work/signed" -sigfile "$work/signature" >/dev/null ||
    { echo "attest.sh: the key has not signed this statement" >&2; exit 11; }
  grep -q "\"digest\":{\"sha256\":\"$3\"}" "$work/statement" || { echo "attest.sh: it is about another payload" >&2; exit 34; }
  cat "$work/statement"
  echo
  ;;
*)
  sed -n '3,6p' "$0" >&2
  exit 64
  ;;
esac
