#!/usr/bin/env bash
# Builds the tool for arm64, with Debian's own Swift and its packages of the same version, and runs it in an emulator: `doctor`, and the
# example patches, whose envelopes must be those of x86-64 byte for byte; and tests of the runner, its states and their locks.
# usage: arm64.sh     as root, on x86-64
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/check/root.sh
own_namespaces "$0"
work=$(mktemp -d /var/tmp/arm64.XXXXXX)
root=$work/root
trap 'remove_root "$root"; rm -rf --one-file-system "$work"' EXIT

make_root sid "$root" ca-certificates,git,make,sudo,swiftlang,qemu-user
mount --rbind /dev "$root/dev"
# These packages are only unpacked: none of their programs runs.
mmdebstrap --quiet --aptopt='Acquire::Check-Valid-Until "false"' --variant=extract --architectures=arm64 \
  --include=swiftlang,g++,libssl-dev,libzip-dev,zlib1g-dev,liblua5.4-dev,libcurl4-openssl-dev,libzstd-dev \
  sid "$root/arm64" http://deb.debian.org/debian
for name in lib bin sbin; do [ -e "$root/arm64/$name" ] || ln -s usr/$name "$root/arm64/$name"; done
git clone --quiet --no-local . "$root/patchpack"
cat >"$root/check.sh" <<'SH'
cd /patchpack
export PATCHPACK_PLUGINS=0 PATCHPACK_TESTS=PatchRunnerTests
scripts/deps.sh build >/dev/null
swift build --product patchpack
swift=/arm64/usr/libexec/swift/lib/swift
# Debian's package lacks the library of the overlay. SwiftPM would wrap the syntax trees for a debugger in an object of x86-64.
for product in patchpack patchpackPackageTests; do
  PKG_CONFIG_PATH=/arm64/usr/lib/aarch64-linux-gnu/pkgconfig PKG_CONFIG_SYSROOT_DIR=/arm64 swift build --product $product \
    --triple aarch64-unknown-linux-gnu --sdk /arm64 --scratch-path /build -debug-info-format none -Xswiftc -use-ld=lld \
    -Xswiftc -sdk -Xswiftc /arm64 -Xswiftc -resource-dir -Xswiftc "$swift" -Xcc --sysroot=/arm64 \
    -Xswiftc -Xfrontend -Xswiftc -disable-cross-import-overlays
done
emulate() { qemu-aarch64 -L /arm64 -E "LD_LIBRARY_PATH=$swift/linux" "/build/aarch64-unknown-linux-gnu/debug/$1" "${@:2}"; }
arm() { emulate patchpack "$@"; }
x86() { .build/debug/patchpack "$@"; }
arm doctor
for profile in modern mpaas; do
  keys=/keys/$profile
  x86 keygen -o "$keys" --profile $profile -q
  for tool in x86 arm; do
    $tool pack examples/patches/*.lua -o /$tool/$profile -q --no-lint --signing-key "$keys/signing.pem" --script-key "$keys/script.key"
  done
  diff -r /x86/$profile /arm/$profile
  arm verify -r /x86/$profile --trusted-key "$keys/trusted.pem" --script-key "$keys/script.key"
done
# One of them has a spec that fails.
for tool in x86 arm; do
  for script in examples/patches/*.lua; do $tool test "$script" --spec "examples/specs/${script##*/}" || true; done >/$tool/specs 2>&1
done
diff /x86/specs /arm/specs
emulate patchpackPackageTests.xctest --testing-library swift-testing \
  --filter '(Stack|StackModel|Thread|Waiting|Instance|Breaker|Otherwise|Attack|Value|Struct|Event)Tests'
SH
chroot "$root" bash -euo pipefail /check.sh
