#!/usr/bin/env bash
# Runs the GitHub action (action.yml). Its inputs are variables: PATCHES, SPECS, INTERFACE, ENVELOPES, TRUSTED_KEY, SCRIPT_KEY,
# APP, PUBLISH, ROLLOUT, FEED_KEYS, FEED_ROOT. A step with an empty input is skipped.
set -euo pipefail
report=${RUNNER_TEMP:-$(mktemp -d)}/patchpack
mkdir -p "$report"
echo "report=$report" >>"$GITHUB_OUTPUT"
status=0
rows=

# Runs a command twice: once with annotations for GitHub, and once to write the result to a file. The first exit status counts.
step() {
  local name=$1 file=$2 format=$3 code=0
  shift 3
  echo "::group::$name"
  "$@" --format github || code=$?
  echo "::endgroup::"
  "$@" --format "$format" >"$report/$file" 2>/dev/null || true
  rows+="| $name | $([ $code = 0 ] && echo passed || echo "failed ($code)") |"$'\n'
  failed_with $code
}

# The action exits with the status of the first step that failed.
failed_with() { [ "$status" != 0 ] || status=$1; }

# The runner must not obey commands in the output of a patch. The line that ends this has a random token that no patch can guess.
stop_commands() {
  token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  echo "::stop-commands::$token"
}
resume_commands() { echo "::$token::"; }

refuse() {
  echo "::error::$1"
  exit 64
}
[ -z "${SPECS:-}" ] || [ -n "${PATCHES:-}" ] || refuse "specs without patches: give the folder of the scripts, too"
[ -z "${ENVELOPES:-}" ] || [ -n "${TRUSTED_KEY:-}" ] || refuse "envelopes without trusted-key: give the public key to trust"
if [ -n "${PUBLISH:-}" ]; then
  # A spec is code. It could read the keys, or change the files that are verified and published after it.
  [ -z "${SPECS:-}" ] || refuse "specs and publish in one step: test in a job without keys, and publish in another one that needs it"
  # Publishing opens every envelope.
  if [ -z "${ENVELOPES:-}" ] || [ -z "${SCRIPT_KEY:-}" ] || [ -z "${FEED_KEYS:-}" ]; then
    refuse "publish needs envelopes, script-key and feed-keys"
  fi
  [ -n "${ROLLOUT:-}" ] || refuse "publish without rollout: say who gets it, such as 5%, or 100% for all devices"
fi
[ -n "${PATCHES:-}${ENVELOPES:-}" ] || refuse "nothing to do: give patches or envelopes"

interface=()
[ -z "${INTERFACE:-}" ] || interface=(--interface "$INTERFACE")
[ -z "${PATCHES:-}" ] || step lint lint.sarif sarif patchpack lint --recursive "$PATCHES" ${interface[@]+"${interface[@]}"}
if [ -n "${PATCHES:-}" ] && [ -n "${SPECS:-}" ]; then
  code=0
  stop_commands
  patchpack test "$PATCHES" --spec "$SPECS" ${interface[@]+"${interface[@]}"} || code=$?
  resume_commands
  # The annotations are patchpack's own lines. The output of a spec is not in the report.
  [ $code = 0 ] || patchpack test "$PATCHES" --spec "$SPECS" ${interface[@]+"${interface[@]}"} --format github 2>/dev/null || true
  patchpack test "$PATCHES" --spec "$SPECS" ${interface[@]+"${interface[@]}"} --format junit >"$report/tests.xml" 2>/dev/null || true
  rows+="| test | $([ $code = 0 ] && echo passed || echo "failed ($code)") |"$'\n'
  failed_with $code
fi
if [ -n "${ENVELOPES:-}" ]; then
  how=(--trusted-key "$TRUSTED_KEY")
  if [ -n "${SCRIPT_KEY:-}" ]; then how+=(--script-key "$SCRIPT_KEY"); else how+=(--signature-only); fi
  if [ -n "${APP:-}" ] && [ -n "${SCRIPT_KEY:-}" ]; then how+=(--app "$APP"); fi
  step verify envelopes.xml junit patchpack verify --recursive "$ENVELOPES" "${how[@]}"
fi
if [ -n "${PUBLISH:-}" ] && [ "$status" = 0 ]; then
  publish=(--rollout "$ROLLOUT")
  while IFS= read -r -d '' file; do publish+=("$file"); done < <(find "$ENVELOPES" -name '*.js' -print0 | sort -z)
  for key in $FEED_KEYS; do publish+=(--key "$key"); done
  [ -z "${FEED_ROOT:-}" ] || publish+=(--root "$FEED_ROOT")
  stop_commands
  patchpack feed publish "$PUBLISH" "${publish[@]}" --trusted-key "$TRUSTED_KEY" --script-key "$SCRIPT_KEY" || status=$?
  resume_commands
  rows+="| publish | $([ "$status" = 0 ] && echo passed || echo "failed ($status)") |"$'\n'
fi
{
  printf '### Patches\n\n| step | result |\n| --- | --- |\n%s' "$rows"
} >>"$GITHUB_STEP_SUMMARY"
exit "$status"
