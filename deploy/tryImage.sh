#!/bin/sh
# Builds and starts the image on a machine that cannot reach an image registry. Instead of the official base, it makes one: Debian by mmdebstrap with
# the Node.js of this repository and the machine's npm. Then checks that the image runs without privileges and with nothing to
# write to but /data and /tmp, and that its health check works. Needs root, buildah and mmdebstrap, and takes some minutes. Run it for each release.
# usage: sh deploy/tryImage.sh
set -eu
cd "$(dirname "$0")/.."
# Mounts made here are invisible to other processes, and disappear at the end.
[ "${1:-}" = apart ] || exec unshare --mount --propagation private sh deploy/tryImage.sh apart
base=docker.io/library/node:26-bookworm-slim
place=$(mktemp -d)
store="--root $place/store --runroot $place/run --storage-driver vfs"
service=
leave() {
  [ -z "$service" ] || { kill "$service" && wait "$service"; } 2>/dev/null || true
  umount --recursive --lazy "$place/live" 2>/dev/null || true
  buildah $store rm --all >/dev/null 2>&1 || true
  rm -rf --one-file-system "$place"
}
trap leave EXIT

echo "== the base" >&2
mmdebstrap --quiet --variant=minbase --include=ca-certificates,libatomic1 bookworm "$place/base.tar"
container=$(buildah $store from scratch)
buildah $store add -q "$container" "$place/base.tar" / >/dev/null
buildah $store copy -q "$container" "$(node scripts/setup.mjs)" /usr/local/bin/node >/dev/null
buildah $store copy -q "$container" "$(npm root -g)/npm" /usr/local/lib/node_modules/npm >/dev/null
# Trusts the same certificates as this machine.
buildah $store copy -q "$container" /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt >/dev/null
buildah $store run --isolation chroot "$container" -- sh -c \
  'ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx'
buildah $store config --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt "$container"
buildah $store commit -q "$container" "$base" >/dev/null

echo "== the image" >&2
mkdir "$place/sources"
git archive HEAD | tar -x -C "$place/sources"
buildah $store bud --isolation chroot --pull-never --network host --format docker -t tapedeck \
  -f "$place/sources/deploy/Containerfile" "$place/sources" >&2

echo "== a container" >&2
container=$(buildah $store from --pull-never localhost/tapedeck)
root=$(buildah $store mount "$container")
user=$(buildah $store inspect --type image --format '{{.OCIv1.Config.User}}' localhost/tapedeck)
check=$(buildah $store inspect --type image localhost/tapedeck | node -e '
  const { Docker } = JSON.parse(require("fs").readFileSync(0, "utf8"));
  console.log(Docker.config.Healthcheck.Test.at(-1));')
[ "$user" = 10001:10001 ] || { echo "The image runs as $user, not as 10001:10001." >&2; exit 1; }
mkdir "$place/live"
mount --bind "$root" "$place/live"
mount -o remount,bind,ro "$place/live"
mount -t tmpfs tmp "$place/live/tmp"
mount -t tmpfs -o uid=10001,gid=10001,mode=700 data "$place/live/data"
mount -t proc proc "$place/live/proc"
# Replaces the calling shell.
become() {
  exec chroot --userspec="$user" "$place/live" /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin NODE_ENV=production \
    TAPEDECK_DATA_DIR=/data TAPEDECK_HOST=127.0.0.1 TAPEDECK_PORT=8797 "$@"
}
inside() { (become "$@"); }
if inside sh -c 'touch /service/x' 2>/dev/null; then echo "The root file system is writable." >&2; exit 1; fi
if inside node -e "$check"; then echo "The health check passes before the service runs." >&2; exit 1; fi
become tapedeck serve >"$place/log" 2>&1 &
service=$!
for _ in $(seq 120); do
  if inside node -e "$check"; then
    inside tapedeck token create --kind logs >/dev/null
    echo "The image runs as $user with a read-only root, is healthy, and creates tokens." >&2
    kill -TERM "$service"
    wait "$service" || { echo "The service exited with $?." >&2; exit 1; }
    service=
    exit 0
  fi
  sleep 1
done
cat "$place/log" >&2
exit 1
