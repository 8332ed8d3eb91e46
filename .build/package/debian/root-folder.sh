  # Of root, also where systemd has made it for the user of a unit that was started before the setup. `holdfast init` does the
  # same: src/client/setup/root-folder.ts.
  mkdir -p -m 755 /etc/holdfast
  owner=$(stat -Lc %u /etc/holdfast)
  if [ "$owner" != 0 ]; then
    echo "holdfast: /etc/holdfast belonged to user $owner; it belongs to root now" >&2
  fi
  chown root:root /etc/holdfast
  for file in /etc/holdfast/*; do
    user=$(stat -c %u "$file" 2>/dev/null) || continue
    [ "$user" != 0 ] || continue
    # The users that systemd makes for units have these numbers.
    if [ "$user" = "$owner" ] || { [ "$user" -ge 61184 ] && [ "$user" -le 65519 ]; }; then
      chown -h root:root "$file"
      echo "holdfast: $file was written by user $user; it belongs to root now: check its contents" >&2
    fi
  done
