"""The kinds of findings about places, the machine, and about there being no daemon."""

from typing import Final

from openclaw_memd.ops.doctor.kind_definition import Kind, Remedy, by_id

PLACES: Final = by_id(
    Kind(
        "open-mode",
        "warning",
        "Something that holds memories or leads to them is open to other users of this machine.",
        "The doctor closes it.",
        Remedy.CLOSE,
    ),
    Kind(
        "foreign-owner",
        "error",
        "Something of memd's belongs to another user.",
        "`chown` it, or find out who put it there.",
    ),
    Kind(
        "exposed-place",
        "error",
        "Other users can put something in the place of a folder of memd's.",
        "Take the right to write from them, or name another place.",
    ),
    Kind(
        "readable-by-others",
        "warning",
        "Other users of this machine can read memory files.",
        "`chmod go-rwx` the workspace, unless it is meant to be shared.",
    ),
    Kind(
        "unwritable-file",
        "warning",
        "A memory file or folder is not writable for memd: what is noted waits until it is.",
        "Give this user the right to write to it (`chown`, `chmod u+w`).",
    ),
    Kind(
        "key-file-open",
        "warning",
        "A file with a provider's key can be read by other users of this machine.",
        "`chmod 600` it.",
    ),
    Kind(
        "text-in-clear",
        "info",
        "These places hold what was said and noted as plain text.",
        "Encrypt the disk if others can get at it; `memd forget` takes text out of all but what it names.",
    ),
    Kind(
        "text-leaves",
        "info",
        "Texts are sent to a provider. Secrets are masked before.",
        "Use a local model if that is not wanted.",
    ),
    Kind(
        "text-unencrypted",
        "warning",
        "Texts are sent to another machine without encryption.",
        "Use an https address.",
    ),
)

MACHINE: Final = by_id(
    Kind(
        "watch-polling",
        "warning",
        "File events are not to be had, so changes are noticed some seconds or minutes late.",
        "Raise the limits of inotify if they are the cause, or use a local disk.",
    ),
    Kind(
        "watch-limit",
        "warning",
        "The system allows hardly more watched folders than this workspace has.",
        "Raise fs.inotify.max_user_watches.",
    ),
    Kind(
        "watch-instances",
        "warning",
        "This user has no inotify instance left.",
        "Raise fs.inotify.max_user_instances, or end what uses them.",
    ),
    Kind(
        "no-exchange",
        "info",
        "The disk cannot exchange two names in one step: a rewrite of a curated file takes two.",
        "Nothing has to be done. An editor that saves between the two could be overwritten; it is told.",
    ),
    Kind(
        "no-locks",
        "warning",
        "The disk has no locks that work: two daemons on one workspace would not notice each other.",
        "Run one daemon, or put workspace and state on a local disk.",
    ),
    Kind(
        "case-insensitive",
        "info",
        "The disk does not tell capital letters apart in names.",
        "Nothing has to be done.",
    ),
    Kind(
        "coarse-times",
        "info",
        "The disk keeps the times of files coarsely, so memd compares contents more often.",
        "Nothing has to be done.",
    ),
    Kind(
        "network-disk",
        "warning",
        "A folder is on a network or synced: changes made elsewhere give no events, locks may not hold.",
        "Put the state folder on a local disk, and the workspace if it can be.",
    ),
    Kind(
        "read-only-workspace",
        "warning",
        "The workspace cannot be written: memd reads it and remembers nothing in it.",
        "Give this user the right to write, or take it as it is meant.",
    ),
    Kind(
        "disk-low",
        "warning",
        "A disk is nearly full.",
        "Make room; memd keeps what it accepted and writes it when there is some.",
    ),
    Kind(
        "clock-behind",
        "error",
        "The newest record of the ledger is later than the clock says: one of them is wrong.",
        "Set the clock; what is written meanwhile gets the wrong day.",
    ),
    Kind(
        "clock-set-back",
        "warning",
        "The clock was set back while memd ran.",
        "See that the clock is kept right (`timedatectl`).",
    ),
    Kind(
        "zone-unknown",
        "warning",
        "The time zone cannot be told, so days are counted as the system does or in UTC.",
        "Set [time] zone to an IANA name such as Europe/Vienna.",
    ),
    Kind(
        "zone-differs",
        "info",
        "The configured time zone is another one than the machine's.",
        "Nothing has to be done if it is meant: it names days, schedules and today.",
    ),
    Kind(
        "no-service",
        "info",
        "memd is not installed as a service, so it ends with the session that started it.",
        "`memd service install` makes it one.",
    ),
    Kind(
        "service-broken",
        "error",
        "The service's unit names a command that is not there.",
        "`memd service install` writes it anew.",
    ),
    Kind(
        "service-elsewhere",
        "warning",
        "The service's unit names another memd than this one.",
        "`memd service install` of the one that is meant writes it anew.",
    ),
    Kind(
        "service-stopped",
        "warning",
        "The service is installed and does not run.",
        "Start it, and see its log: `memd service status`.",
    ),
    Kind(
        "config-advice",
        "info",
        "Something in the configuration may not be what was meant.",
        "See docs/configuration.md.",
    ),
)

ABSENCE: Final = by_id(
    Kind(
        "no-daemon",
        "warning",
        "No daemon answers, so only what can be told from outside was looked at.",
        "Start it with `memd run` or its service, and ask again.",
    ),
    Kind(
        "daemon-silent",
        "error",
        "A daemon holds the lock and does not answer.",
        "See its log; end it by its pid if it hangs.",
    ),
    Kind(
        "workspace-held",
        "error",
        "A daemon with another socket has this workspace, so none can start here.",
        "Ask that one (`--socket`), or end it.",
    ),
    Kind(
        "stale-socket",
        "info",
        "The socket of a daemon that ended is still there.",
        "Nothing has to be done: the next start takes its place.",
    ),
    Kind(
        "config-unusable",
        "error",
        "The configuration cannot be used.",
        "Correct the key that is named.",
    ),
    Kind(
        "workspace-missing",
        "error",
        "The workspace is not there.",
        "Bring it back, or name another one.",
    ),
)

UNKNOWABLE: Final = by_id(
    Kind(
        "check-failed",
        "warning",
        "A part of the check could not be done.",
        "The log has more.",
    ),
)
