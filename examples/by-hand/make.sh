#!/usr/bin/env bash
# Makes an envelope from one script with openssl and zip: the steps of `patchpack pack`.
# usage: make.sh SCRIPT.lua SIGNING.pem SCRIPT.key OUTPUT.js PATCH_ID VERSION APP
#
# openssl gets the key as an argument, which other users of the machine can see. Use this script to learn the format, not
# for a release.
set -euo pipefail
export LC_ALL=C TZ=UTC

[ $# -eq 7 ] || { sed -n '3p' "$0" >&2; exit 64; }
script=$1 signing=$2 key=$(cat "$3") output=$4 id=$5 version=$6 app=$7
name=$(basename "$script")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/zip"

# Encrypts a file with AES-128-CBC. The IV comes first. It is derived, so that the same input produces the same bytes.
# usage: seal LABEL FILE
seal() {
  iv=$({ printf 'patchpack iv 1\n%s\n' "$1"; cat "$2"; } |
    openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -r | cut -c1-32)
  # shellcheck disable=SC2059
  printf "$(printf %s "$iv" | sed 's/../\\x&/g')"
  openssl enc -aes-128-cbc -K "$key" -iv "$iv" -in "$2"
}

# 1. The manifest, in its canonical form: no white space, keys sorted.
printf '{"app":"%s","appVersions":"*","engine":1,"id":"%s","replaces":[],"schema":1,"scripts":[{"name":"%s","size":%d}],"version":%d}' \
  "$app" "$id" "$name" "$(wc -c <"$script")" "$version" >"$work/zip/manifest.json"

# 2. The script's MD5, and the script encrypted.
printf %s "$(openssl dgst -md5 -r "$script" | cut -d' ' -f1)" >"$work/zip/$name.md5"
seal "$name" "$script" >"$work/zip/$name.aes"

# 3. A zip of both, stored, without times and extra fields.
(
  cd "$work/zip"
  chmod 644 ./*
  touch -d '1980-01-01 00:00:00' ./*
  zip -q -X -0 ../payload.zip manifest.json "$name.md5" "$name.aes"
)

# 4. The payload: the zip, encrypted. 5. Its signature, after the delimiter line.
seal envelope "$work/payload.zip" >"$work/payload"
openssl dgst -sha1 -sign "$signing" -out "$work/signature" "$work/payload"
# shellcheck disable=SC2059
script_key_id=$({
  printf 'patchpack script key\n'
  printf "$(printf %s "$key" | sed 's/../\\x&/g')"
} | openssl dgst -sha256 -r | cut -c1-16)
key_id=$(openssl pkey -in "$signing" -pubout -outform DER | openssl dgst -sha256 -r | cut -c1-16)
{
  cat "$work/payload"
  printf '\n--patchpack-envelope-1 aes-128-cbc+md5 %s\n' "$script_key_id"
  printf 'rsa-sha1 %s %s\n' "$key_id" "$(openssl base64 -A -in "$work/signature")"
} >"$output"
