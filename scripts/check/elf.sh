#!/usr/bin/env bash
# Reports the protections against attackers that the tool's ELF headers lack. Reports nothing for a file that is not ELF.
# usage: elf.sh PROGRAM
set -euo pipefail
program=$1
magic=$(head -c 4 "$program" | od -An -tx1)
[ "$magic" = " 7f 45 4c 46" ] || exit 0
dynamic=$(readelf -dW "$program")
segments=$(readelf -lW "$program")
sections=$(readelf -SW "$program")
symbols=$(readelf --dyn-syms -W "$program")
failed=0
fail() {
  echo "$program: $1" >&2
  failed=1
}
! grep -Eq 'RPATH|RUNPATH' <<<"$dynamic" || fail "has a path of its own for libraries: one planted there would be loaded"
grep -Eq 'FLAGS.*\bNOW\b' <<<"$dynamic" || fail "binds its symbols late (-z now)"
grep -q GNU_RELRO <<<"$segments" || fail "has no read-only relocations (-z relro)"
! grep -Eq ' \.rodata .* W[A-Za-z]* ' <<<"$sections" || fail "has constants that can be written (scripts/readonly.ld)"
grep -Eq 'GNU_STACK.* RW ' <<<"$segments" || fail "has an executable stack"
grep -Eq 'FLAGS_1.*\bPIE\b' <<<"$dynamic" || fail "does not move in memory (PIE)"
grep -q __stack_chk_fail <<<"$symbols" || fail "does not watch its stack (-fstack-protector-strong)"
! grep -q 'NEEDED.*libzip' <<<"$dynamic" || fail "runs only where libzip has this name (Sources/CLibzipLoader lacks a function)"
exit $failed
