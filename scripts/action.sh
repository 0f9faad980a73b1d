#!/usr/bin/env bash
# Runs the GitHub action (action.yml). Its inputs are variables: PATCHES, SPECS, INTERFACE, ENVELOPES, TRUSTED_KEY, SCRIPT_KEY,
# APP, PUBLISH, ROLLOUT, FEED_KEYS, FEED_ROOT. A step with an empty input is skipped.
set -euo pipefail
refuse() {
  echo "::error::$1"
  exit 64
}
# An input that would check nothing, or change nothing, without another one is refused. usage: needs INPUT OTHER...
needs() {
  local name other
  name=$(tr a-z- A-Z_ <<<"$1")
  [ -n "${!name:-}" ] || return 0
  for other in "${@:2}"; do
    name=$(tr a-z- A-Z_ <<<"$other")
    [ -n "${!name:-}" ] || refuse "$1 without $other: give both, or neither"
  done
}
needs specs patches
needs interface patches
needs envelopes trusted-key
needs trusted-key envelopes
needs script-key envelopes
needs app script-key
for input in rollout feed-root feed-keys; do needs $input publish; done
# Publishing opens every envelope. Who gets it is said: 5%, or 100% for all devices.
needs publish envelopes script-key feed-keys rollout
# A spec is code. It could read the keys, or change the files that are verified and published after it.
[ -z "${PUBLISH:-}" ] || [ -z "${SPECS:-}" ] ||
  refuse "specs and publish in one step: test in a job without keys, and publish in another one that needs it"
[ -n "${PATCHES:-}${ENVELOPES:-}" ] || refuse "nothing to do: give patches or envelopes"

report=${RUNNER_TEMP:-$(mktemp -d)}/patchpack
mkdir -p "$report"
echo "report=$report" >>"$GITHUB_OUTPUT"
status=0
rows=

# Adds a step to the summary. The action exits with the status of the first step that failed.
ended() {
  rows+="| $1 | $([ "$2" = 0 ] && echo passed || echo "failed ($2)") |"$'\n'
  [ "$status" != 0 ] || status=$2
}

# Runs a command twice: once with annotations for GitHub, and once to write the result to a file. The first exit status counts.
# usage: step NAME FILE FORMAT VERB OPTION... -- NAME...
step() {
  local name=$1 file=$2 format=$3 verb=$4 code=0
  shift 4
  echo "::group::$name"
  patchpack "$verb" --format github "$@" || code=$?
  echo "::endgroup::"
  patchpack "$verb" --format "$format" "$@" >"$report/$file" 2>/dev/null || true
  ended "$name" $code
}

# The runner must not obey commands in the output of a patch. The line that ends this has a random token that no patch can guess.
stop_commands() {
  token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  echo "::stop-commands::$token"
}
resume_commands() { echo "::$token::"; }

interface=()
[ -z "${INTERFACE:-}" ] || interface=(--interface "$INTERFACE")
[ -z "${PATCHES:-}" ] || step lint lint.sarif sarif lint --recursive ${interface[@]+"${interface[@]}"} -- "$PATCHES"
if [ -n "${SPECS:-}" ]; then
  code=0
  tests=(--spec "$SPECS" ${interface[@]+"${interface[@]}"} -- "$PATCHES")
  stop_commands
  patchpack test "${tests[@]}" || code=$?
  resume_commands
  # The annotations are patchpack's own lines. The output of a spec is not in the report.
  [ $code = 0 ] || patchpack test --format github "${tests[@]}" 2>/dev/null || true
  patchpack test --format junit "${tests[@]}" >"$report/tests.xml" 2>/dev/null || true
  ended test $code
fi
if [ -n "${ENVELOPES:-}" ]; then
  how=(--trusted-key "$TRUSTED_KEY")
  if [ -n "${SCRIPT_KEY:-}" ]; then how+=(--script-key "$SCRIPT_KEY"); else how+=(--signature-only); fi
  # What is verified, and nothing else, is published.
  # `find` takes a word that begins with one of these for a part of its expression, and would search the current folder.
  case $ENVELOPES in [-\(\)!,]*) ENVELOPES=./$ENVELOPES ;; esac
  mapfile -d '' -t files < <(find "$ENVELOPES" -mindepth 1 -name '.*' -prune -o -name '*.js' ! -type d -print0 | LC_ALL=C sort -z)
  [ ${#files[@]} -gt 0 ] || refuse "envelopes: no file *.js is in $ENVELOPES"
  step verify envelopes.xml junit verify "${how[@]}" ${APP:+--app "$APP"} -- "${files[@]}"
fi
if [ -n "${PUBLISH:-}" ] && [ "$status" = 0 ]; then
  publish=(--rollout "$ROLLOUT" ${FEED_ROOT:+--root "$FEED_ROOT"})
  read -ra keys <<<"${FEED_KEYS//$'\n'/ }"
  for key in "${keys[@]}"; do publish+=(--key "$key"); done
  code=0
  stop_commands
  patchpack feed publish "${publish[@]}" "${how[@]}" -- "$PUBLISH" "${files[@]}" || code=$?
  resume_commands
  ended publish $code
fi
printf '### Patches\n\n| step | result |\n| --- | --- |\n%s' "$rows" >>"$GITHUB_STEP_SUMMARY"
exit "$status"
