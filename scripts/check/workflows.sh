#!/usr/bin/env bash
# Checks workflows and the action: their form (check-jsonschema, with the schemas of SchemaStore) and their security (zizmor).
# Both tools are from PyPI.
set -euo pipefail
cd "$(dirname "$0")/../.."
venv=.build/workflows
if [ ! -x "$venv/bin/zizmor" ]; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check check-jsonschema==0.39.0 zizmor==1.32.0
fi
form() {
  local schema=vendor.$1
  shift
  "$venv/bin/check-jsonschema" --quiet --builtin-schema "$schema" "$@"
}
# The workflow that `init` writes, taken from its source because the tool is not built yet. InitTests compares the two.
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
scripts/check/init-workflow.sh >"$made/patches.yml"
workflows=(.github/workflows/*.yml examples/rollout.yml examples/verify-patches.yml "$made/patches.yml")
form github-workflows "${workflows[@]}"
form github-actions action.yml
form gitlab-ci --data-transform gitlab-ci examples/gitlab-ci.yml
"$venv/bin/zizmor" --offline --quiet --config scripts/check/zizmor.yml action.yml "${workflows[@]}"
