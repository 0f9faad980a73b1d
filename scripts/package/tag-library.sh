#!/usr/bin/env bash
# Copies the Lua files of Penlight and inspect.lua, and adds the tags that make each one a patch.
# usage: tag-library.sh LUA_FOLDER OUTPUT_FOLDER
set -euo pipefail

from=$1
mkdir -p "$2"
to=$(cd "$2" && pwd)
cd "$from"
for script in inspect.lua pl/*.lua; do
  [ -e "$script" ] || continue
  id=$(printf '%s' "${script%.lua}" | tr './' '__')
  mkdir -p "$to/$(dirname "$script")"
  {
    printf -- '-- @patch    com.example.library.%s\n' "$id"
    printf -- '-- @version  1\n-- @app      com.example.shop >=2.0\n'
    cat "$script"
  } >"$to/$script"
done
