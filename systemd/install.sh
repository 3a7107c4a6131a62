#!/bin/sh
# Install memd as a service of this user: systemd where it runs, launchd on macOS.
set -eu
memd=$1
here=$(dirname "$0")

if [ "$(uname)" = Darwin ]; then
  agents="$HOME/Library/LaunchAgents"
  mkdir -p "$agents"
  sed -e "s|@MEMD@|$memd|" -e "s|@HOME@|$HOME|" "$here/../launchd/org.openclaw.memd.plist" >"$agents/org.openclaw.memd.plist"
  launchctl bootout "gui/$(id -u)/org.openclaw.memd" 2>/dev/null || true
  launchctl bootstrap "gui/$(id -u)" "$agents/org.openclaw.memd.plist"
  echo "memd runs as a launchd agent; its log is ~/Library/Logs/openclaw-memd.log"
  exit 0
fi

units="${XDG_CONFIG_HOME:-$HOME/.config}/systemd/user"
mkdir -p "$units"
sed "s|@MEMD@|$memd|" "$here/memd.service" >"$units/memd.service"
cp "$here/memd.socket" "$units/memd.socket"
echo "wrote $units/memd.service and memd.socket"
if systemctl --user show-environment >/dev/null 2>&1; then
  systemctl --user daemon-reload
  systemctl --user enable --now memd.socket memd.service
  echo "memd runs; its log: journalctl --user -u memd"
else
  echo "no systemd user session answers here; in one, run:"
  echo "  systemctl --user daemon-reload && systemctl --user enable --now memd.socket memd.service"
fi
