#!/usr/bin/env bash
# Checks the artifacts of a release in new systems of Debian that have the packages of docs/installing.md and nothing else: its commands
# install, try and remove the archive and the Debian package, without a network. Changed artifacts are refused by them and by the action.
# The artifacts are served from this machine, with a signature of a key that is made here.
# usage: release.sh FOLDER     as root; SUITES="bookworm trixie" selects releases of Debian
set -euo pipefail
folder=$(readlink -f "$1")
[ -e "$folder/SHA256SUMS" ] || { echo "release.sh: there is no release in $1; make release makes one" >&2 && exit 66; }
cd "$(dirname "$0")/../.."
. scripts/check/root.sh
own_namespaces scripts/check/release.sh "$folder"
work=$(mktemp -d /var/tmp/release.XXXXXX)
root=''
trap '[ -z "$root" ] || remove_root "$root"; rm -rf --one-file-system "$work"' EXIT

# A block of shell in a section of a document.
block() { awk -v section="$2" -v number="$3" '/^#/ { in_section = $0 == section } in_section && /^```sh/ { if (++n == number) { on = 1; next } } /^```$/ { on = 0 } on' "$1"; }

# Served: the release, and others that were changed.
openssl genpkey -algorithm ed25519 -out "$work/key.pem"
openssl pkey -in "$work/key.pem" -pubout -out "$work/release.pem"
openssl genpkey -algorithm ed25519 -out "$work/thief.pem"
archive=$(cd "$folder" && ls patchpack-*-linux-*.tar.xz)
package=$(cd "$folder" && ls patchpack_*.deb)
hash=$(sha256sum <"$folder/$archive" | cut -d ' ' -f 1)
served=$work/served
mkdir "$served"
cp -r "$folder" "$served/good"
scripts/package/release.sh sign "$served/good" "$work/key.pem"
examples/attest.sh check "$work/release.pem" SHA256SUMS "$(sha256sum <"$served/good/SHA256SUMS" | cut -d ' ' -f 1)" <"$served/good/SHA256SUMS.intoto.json" >/dev/null
for name in tampered rehashed resigned other; do
  cp -r "$served/good" "$served/$name"
  for file in "$archive" "$package"; do printf x >>"$served/$name/$file"; done
done
for name in rehashed resigned; do (cd "$served/$name" && sha256sum "$archive" "$package" >SHA256SUMS); done
scripts/package/release.sh sign "$served/resigned" "$work/thief.pem"
# Hashes that the key has signed, of another file that is there.
(cd "$work" && sha256sum release.pem) >"$served/other/SHA256SUMS"
scripts/package/release.sh sign "$served/other" "$work/key.pem"

mkdir "$work/home"
git archive HEAD examples scripts | tar -x -C "$work/home"
# Without the example app, which is not in a release.
block README.md '## From nothing to a patched answer' 1 | sed '/; do shop /d' >"$work/home/readme"
cp "$work/release.pem" "$work/home"
sed -n '/^      run: |$/,/^    - name/{//d; s/^        //p}' action.yml >"$work/home/setup"
block docs/installing.md '## A release' 2 >"$work/home/archive"
block docs/installing.md '## A release' 3 >"$work/home/package"
removing=$(block docs/installing.md '### The tool' 1)
grep '# the archive$' <<<"$removing" >"$work/home/remove-archive"
grep '# the Debian package$' <<<"$removing" | sed 's/sudo apt-get/apt-get -y/' >"$work/home/remove-package"
cat >"$work/home/install" <<'SH'
# usage: install HOW RELEASE     with the values of this release in place of those of the document
sed "s|^release=.*|release=http://127.0.0.1:8000/$2|; s|^archive=.*|archive=$ARCHIVE|; s|^package=.*|package=$PACKAGE|; s|sudo ||" "$1" >commands
bash -eu commands
SH
cat >"$work/home/use" <<'SH'
patchpack --version
patchpack doctor
rm -rf try ten ?.lua ??.lua
set -x
. ./readme
set +x
cd ..
man patchpack | grep -q 'PATCHPACK(1)'
SH
# The action's steps, with ten envelopes. GitHub puts the folders in the file GITHUB_PATH onto the PATH.
cat >"$work/home/act" <<'SH'
export GITHUB_ACTION_PATH=$PWD RUNNER_TEMP=$PWD/temp GITHUB_PATH=$PWD/path GITHUB_OUTPUT=output GITHUB_STEP_SUMMARY=summary
export PATCHPACK_URL=http://127.0.0.1:8000/good/$ARCHIVE
rm -f path
for wrong in "http://127.0.0.1:8000/tampered/$ARCHIVE $HASH" "$PATCHPACK_URL ${HASH//[0-9]/0}" "$PATCHPACK_URL "; do
  PATCHPACK_URL=${wrong% *} PATCHPACK_SHA256=${wrong#* } bash -eo pipefail setup && exit 1
  [ ! -e path ]
done
export PATCHPACK_SHA256=$HASH
time bash -eo pipefail setup
PATH=$(<path):$PATH
for id in 1 2 3 4 5 6 7 8 9 10; do sed "s/cart-total/cart-$id/" examples/patches/cart-total.lua >$id.lua; done
patchpack pack ?.lua ??.lua -o ten --quiet --no-lint --signing-key try/keys/signing.pem --script-key try/keys/script.key
time ENVELOPES=ten TRUSTED_KEY=try/keys/trusted.pem SCRIPT_KEY=try/keys/script.key scripts/action.sh
rm -r temp
SH

# Runs a script in the root, as a user or as root, without any network but the loopback's.
# shellcheck disable=SC2016 # other shells expand it
as() {
  local user=$1
  shift
  unshare --net bash -euc '
    ip link set lo up
    python3 -m http.server --bind 127.0.0.1 --directory "$1" 8000 >/dev/null 2>&1 &
    server=$!
    for i in $(seq 50); do (: </dev/tcp/127.0.0.1/8000) 2>/dev/null && break; sleep 0.1; done
    status=0
    chroot "$2" runuser -u "$3" -- env -i HOME=/home/dev PATH=/home/dev/.local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
      ARCHIVE="$4" PACKAGE="$5" HASH="$6" bash -euc "cd; . ./\$0" "${@:7}" || status=$?
    kill $server
    exit $status' bash "$served" "$root" "$user" "$archive" "$package" "$hash" "$@"
}
nothing_is_left() {
  found=$(find "$root/home/dev/.local" "$root/usr" "$root/etc" "$root/var/lib/dpkg/info" -name '*patchpack*' 2>/dev/null || true)
  [ -z "$found" ] || { printf 'left behind:\n%s\n' "$found" >&2 && exit 1; }
}

for suite in ${SUITES:-bookworm trixie}; do
  root=$work/$suite
  SECONDS=0
  make_root "$suite" "$root"
  number=$(sed -n 's/^VERSION_ID="\(.*\)"/\1/p' "$root/etc/os-release")
  chroot "$root" useradd --create-home --shell /bin/bash dev
  cp -r "$work/home/." "$root/home/dev"
  chroot "$root" chown -R dev: /home/dev
  packages=$(block docs/installing.md '## A release' 1 | sed -n "s/^sudo apt-get install \(.*\)# Debian $number$/\1/p")
  echo "== $suite: $packages"
  chroot "$root" apt-get update -qq
  # shellcheck disable=SC2086 # a list
  chroot "$root" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $packages >/dev/null
  echo "== $suite: a new system in $SECONDS s"
  for how in archive package; do
    user=$([ $how = archive ] && echo dev || echo root) # who installs
    for name in tampered rehashed resigned other; do
      if as "$user" install $how $name; then echo "$suite: the $how of a $name release was installed" >&2 && exit 1; fi
      nothing_is_left
    done
    SECONDS=0
    as "$user" install $how good
    as dev use
    as dev act
    as "$user" remove-$how
    nothing_is_left
    echo "== $suite: $how installed, tried and removed in $SECONDS s"
  done
  remove_root "$root"
  root=''
done
