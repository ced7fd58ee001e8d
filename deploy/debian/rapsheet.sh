#!/bin/sh
# The command `rapsheet` of the Debian package.
set -e
program=/usr/lib/rapsheet
settings=/etc/rapsheet/rapsheet.env
user=rapsheet

# As root it would leave files in the store that the server cannot write.
if [ "$(id -u)" -eq 0 ] && id "$user" >/dev/null 2>&1; then
  HOME=/var/lib/rapsheet exec runuser -u "$user" -- "$0" "$@"
fi
# Others use the command with the URL of a server.
if [ "$(id -un)" = "$user" ]; then
  export RAPSHEET_CONFIG_FILE="${RAPSHEET_CONFIG_FILE:-$settings}"
  if [ -z "$RAPSHEET_DATA_DIR" ] && ! grep -q '^RAPSHEET_DATA_DIR=' "$RAPSHEET_CONFIG_FILE"; then
    export RAPSHEET_DATA_DIR=/var/lib/rapsheet
  fi
fi
exec "$program/runtime/node" "$program/bin/rapsheet.js" "$@"
