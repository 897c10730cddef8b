#!/usr/bin/env bash
# Run a command where writes to ftrace's global filters go to scratch files. Under kernel lockdown these writes are
# refused and trace-cmd, which resets the filters before it starts, gives up; its events need none of them.
# To be started by `unshare --mount`.
set -euo pipefail
mount --make-rprivate /
# debugfs mounts a second tracefs of its own, which trace-cmd would take where it is there.
for other in /sys/kernel/debug/tracing /sys/kernel/debug; do
    if mountpoint -q "$other"; then umount --lazy "$other"; fi
done
mountpoint -q /sys/kernel/tracing || mount -t tracefs tracefs /sys/kernel/tracing
scratch=$(mktemp -d)
for file in /sys/kernel/tracing/set_ftrace_{filter,notrace,pid,notrace_pid} /proc/sys/kernel/ftrace_enabled; do
    [ -e "$file" ] || continue
    copy=$scratch/$(basename "$file")
    if [ "$(basename "$file")" = ftrace_enabled ]; then echo 1 >"$copy"; else : >"$copy"; fi
    mount --bind "$copy" "$file"
done
exec "$@"
