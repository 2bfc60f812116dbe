#!/bin/sh
# Runs a script of this repository on a Node.js that is new enough, installing what is missing first.
# usage: with-node.sh SCRIPT [ARGUMENT ...]
set -e
cd "$(dirname "$0")/.."
node_path=$(node scripts/setup.mjs) || exit 1
exec "$node_path" "$@"
