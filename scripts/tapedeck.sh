#!/bin/sh
# Becomes the service, or one command of it: signals reach the program and its exit status is seen.
# usage: tapedeck.sh COMMAND [ARGUMENT ...]
set -e
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- help
# Set-up takes minutes in a fresh clone: help, and words that name no command, are answered without it.
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
# What Node.js has compiled once is read the next time.
NODE_COMPILE_CACHE=${NODE_COMPILE_CACHE:-$PWD/.cache/compiled}
export NODE_COMPILE_CACHE
# Buffers come and go by the thousand on several threads. With one arena, large ones mapped each by itself, and a nursery no
# larger than this, 200 uploads of 32 MiB at once peak at 330 MB; without, at 420 MB. With a smaller one of 2 MB the garbage
# collector takes a third of the time of log requests. The old space has room from the beginning: V8 would let it grow by little,
# and collect all of it every second while log entries come in.
MALLOC_ARENA_MAX=${MALLOC_ARENA_MAX:-1}
MALLOC_MMAP_THRESHOLD_=${MALLOC_MMAP_THRESHOLD_:-131072}
export MALLOC_ARENA_MAX MALLOC_MMAP_THRESHOLD_
exec "$node_path" --max-semi-space-size=10 --initial-old-space-size=192 server/dist/cli.js "$@"
