#!/bin/sh
# Becomes the service, or one command of it: signals reach the program and its exit status is seen.
# usage: tapedeck.sh COMMAND [ARGUMENT ...]
set -e
cd "$(dirname "$0")/.."
node_path=$(node scripts/setup.mjs "$1") || exit 1
exec "$node_path" server/src/cli.ts "$@"
