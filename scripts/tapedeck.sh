#!/bin/sh
# Replaces itself by the service or one of its commands, so that signals reach the program and callers see its exit status.
# usage: tapedeck.sh COMMAND [ARGUMENT ...]
set -e
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- help
# Set-up takes minutes in a fresh clone, so help and unknown commands are answered without it.
is_early=
[ -f server/dist/cli.js ] || is_early=yes
for word in "$@"; do
  case $word in
    help | --help | -h | --version | -v | completion) is_early=yes ;;
  esac
done
if [ -n "$is_early" ]; then
  code=0
  node scripts/help.mjs "$@" || code=$?
  [ "$code" = 3 ] || exit "$code" # 3: it is a command
fi
node_path=$(node scripts/setup.mjs "$1") || exit 1
# Node.js reads compiled code from here at the next start.
NODE_COMPILE_CACHE=${NODE_COMPILE_CACHE:-$PWD/.cache/compiled}
export NODE_COMPILE_CACHE
# Several threads allocate and free thousands of buffers. With one arena, separate mappings for large buffers, and a nursery no
# larger than this, 200 uploads of 32 MiB at once peak at 330 MB instead of 420. With a nursery of 2 MB, the garbage
# collector takes a third of the time of log requests. The old space is large from the start: V8 would grow it in small steps
# and collect all of it every second while log entries arrive.
MALLOC_ARENA_MAX=${MALLOC_ARENA_MAX:-1}
MALLOC_MMAP_THRESHOLD_=${MALLOC_MMAP_THRESHOLD_:-131072}
export MALLOC_ARENA_MAX MALLOC_MMAP_THRESHOLD_
exec "$node_path" --max-semi-space-size=10 --initial-old-space-size=192 server/dist/cli.js "$@"
