#!/usr/bin/env bash
# Verifies and opens an envelope with openssl, unzip and text tools, without patchpack.
# usage: open.sh ENVELOPE.js TRUSTED.pem SCRIPT.key OUTPUT_FOLDER
#
# It supports the suite aes-128-cbc+md5 and an rsa-sha1 signature. openssl gets the key as an argument, which other users
# of the machine can see. Use this script to learn the format, not for a release.
set -euo pipefail
export LC_ALL=C

[ $# -eq 4 ] || { sed -n '3p' "$0" >&2; exit 64; }
envelope=$1 trusted=$2 key=$(cat "$3") output=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "open.sh: $*" >&2; exit 1; }

# Decrypts standard input: 16 bytes of IV, then AES-128-CBC.
open_sealed() {
  cat >"$work/sealed"
  iv=$(head -c 16 "$work/sealed" | od -An -v -tx1 | tr -d ' \n')
  tail -c +17 "$work/sealed" | openssl enc -d -aes-128-cbc -K "$key" -iv "$iv"
}

# 1. The last delimiter line separates the payload from the signatures. The line feed before it belongs to the delimiter.
start=$(grep -abo '^--patchpack-envelope-1 .*' "$envelope" | tail -n 1 | cut -d: -f1)
[ -n "$start" ] || fail "no delimiter line"
head -c $((start - 1)) "$envelope" >"$work/payload"
tail -c +$((start + 1)) "$envelope" >"$work/lines"
read -r _ suite script_key_id <"$work/lines"
[ "$suite" = aes-128-cbc+md5 ] || fail "the suite is $suite"

# 2. Verify the trusted key's signature over exactly the payload.
key_id=$(openssl pkey -pubin -in "$trusted" -outform DER | openssl dgst -sha256 -r | cut -c1-16)
signature=$(grep "^rsa-sha1 $key_id " "$work/lines" | head -n 1 | cut -d' ' -f3) || fail "not signed by key $key_id"
printf %s "$signature" | openssl base64 -d -A >"$work/signature"
openssl dgst -sha1 -verify "$trusted" -signature "$work/signature" "$work/payload" >/dev/null || fail "bad signature"

# 3. Check that the script key is the one that the delimiter line names.
# shellcheck disable=SC2059
[ "$script_key_id" = "$({
  printf 'patchpack script key\n'
  printf "$(printf %s "$key" | sed 's/../\\x&/g')"
} | openssl dgst -sha256 -r | cut -c1-16)" ] || fail "sealed with the script key $script_key_id"

# 4. Decrypt the payload, which is a zip.
open_sealed <"$work/payload" >"$work/payload.zip"
unzip -q "$work/payload.zip" -d "$work/zip"

# 5. Decrypt each script and compare it with its MD5, which is next to it in the zip.
(cd "$work/zip" && find . -name '*.lua.aes' | sed 's|^\./||; s|\.aes$||') | while read -r script; do
  mkdir -p "$output/$(dirname "$script")"
  open_sealed <"$work/zip/$script.aes" >"$output/$script"
  [ "$(openssl dgst -md5 -r "$output/$script" | cut -d' ' -f1)" = "$(cat "$work/zip/$script.md5")" ] ||
    fail "$script does not match its MD5"
  echo "$output/$script"
done
