#!/bin/sh
# Installs missing Debian packages that tests need. Needs root. Fast if nothing is missing.
# usage: debian.sh tests|engines ...
set -e
tests='chromium-headless-shell ffmpeg curl unzip python3'
engines='postgresql python3-venv swift-proxy swift-account swift-container swift-object memcached nginx-light strace maven default-jdk-headless prometheus caddy pgbouncer zsh fish lua5.4 systemd-journal-remote mono-mcs libnewtonsoft-json5.0-cil xfsprogs e2fsprogs'

missing=
for set_name in "$@"; do
  case $set_name in
    tests) names=$tests ;;
    engines) names=$engines ;;
    *) echo "Unknown package set $set_name; use tests or engines." >&2; exit 1 ;;
  esac
  for name in $names; do
    dpkg-query --show --showformat='${db:Status-Status}' "$name" 2>/dev/null | grep -qx installed || missing="$missing $name"
  done
done
[ -n "$missing" ] || exit 0

echo "Installing the Debian packages$missing." >&2
# Tests start their own servers. Debian's would also take ports and memory.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT
  printf '#!/bin/sh\nexit 101\n' > "$policy"
  chmod 755 "$policy"
fi
log=$(mktemp)
if ! { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends $missing; } > "$log" 2>&1; then
  tail -n 20 "$log" >&2
  echo "The packages could not be installed: run \"apt-get install$missing\" to see the error." >&2
  rm -f "$log"
  exit 1
fi
rm -f "$log"
