"""The kinds of findings about files, databases and models."""

from typing import Final

from openclaw_memd.ops.doctor.kind_definition import Kind, Remedy, by_id

FILES: Final = by_id(
    Kind(
        "legacy-memory-file",
        "warning",
        "There is a memory.md of an older OpenClaw. Only MEMORY.md is read, so nothing in it is known.",
        "The doctor adds to MEMORY.md what it has no entry of and moves the old file into .openclaw-repair.",
        Remedy.MERGE,
    ),
    Kind(
        "name-case",
        "warning",
        "The name differs in capital letters from one that memd reads, so it is left out.",
        "Rename it, or move its text into the file with the right name.",
    ),
    Kind(
        "case-twin",
        "warning",
        "Names differ in capital letters only: disks that do not tell them apart take them for one.",
        "Give one of them another name.",
    ),
    Kind(
        "unicode-twin",
        "warning",
        "Names look the same and differ in how Unicode writes them: some disks take them for one.",
        "Give one of them another name.",
    ),
    Kind(
        "curated-unusable",
        "error",
        "A curated file cannot be used as it is, so nothing of it reaches a session.",
        "Put a plain UTF-8 text file with one name in its place.",
    ),
    Kind(
        "curated-over-budget",
        "warning",
        "A curated file is longer than what a session is given of it: whole entries fall out.",
        "Shorten it, or give what matters most an importance; `memd lint` has more.",
    ),
    Kind(
        "curated-unvouched",
        "warning",
        "Nobody vouches for some lines of a curated file, so they are not given to sessions.",
        "Read them, then `memd trust` them or delete them.",
    ),
    Kind(
        "instructions-cut",
        "warning",
        "An instruction file is longer than what a session is given of it: its middle is left out.",
        "Shorten it, or raise [inject] file_chars.",
    ),
    Kind(
        "instructions-unusable",
        "warning",
        "An instruction file cannot be read, so no session is given it.",
        "Put a plain UTF-8 text file in its place.",
    ),
    Kind(
        "secrets-in-curated",
        "warning",
        "Lines of a curated file look like secrets, and curated files reach every session.",
        "Keep secrets elsewhere and delete the lines; `memd history` keeps earlier versions.",
    ),
    Kind(
        "skipped",
        "warning",
        "A file that looks like a memory is left out of the index.",
        "Mend what the reason says; docs/files.md lists the reasons.",
    ),
    Kind(
        "no-memories",
        "warning",
        "The workspace has no memory files.",
        "Write MEMORY.md or notes below memory/, or name other notes in [files] include.",
    ),
    Kind(
        "windows-line-ends",
        "info",
        "Files have Windows line ends (CRLF). They are read, and what memd adds to them has the same.",
        "Nothing has to be done.",
    ),
    Kind(
        "large-note",
        "info",
        "A note is very long. All of it is indexed; a search shows the passage that fits, get shows a part.",
        "Nothing has to be done; shorter notes are easier to correct.",
    ),
    Kind(
        "names-in-other-scripts",
        "info",
        "Names hold letters outside ASCII. They are found and kept byte for byte.",
        "Nothing has to be done.",
    ),
    Kind(
        "names-decomposed",
        "info",
        "Names are written in a decomposed form of Unicode, as macOS writes them; typed ones may not match.",
        "Nothing has to be done; `git config core.precomposeunicode true` keeps git from making twins.",
    ),
    Kind(
        "hidden-characters-in-names",
        "warning",
        "Names hold line ends, controls or characters that nobody sees, so they may be taken for others.",
        "Rename them, unless it is meant; what is shown has an escape in the place of each.",
    ),
    Kind(
        "notes-with-slugs",
        "info",
        "Notes have more than a date in their name, such as a time or a topic. They count for their day.",
        "Nothing has to be done.",
    ),
    Kind(
        "impossible-date",
        "warning",
        "A note's name begins with a date that does not exist, so it belongs to no day.",
        "Give it the right date.",
    ),
    Kind(
        "future-note",
        "info",
        "A note's name has a date that is still to come.",
        "Correct the date if it is not meant.",
    ),
)

STORES: Final = by_id(
    Kind(
        "index-behind",
        "warning",
        "The index does not show some files as they are on disk.",
        "The doctor compares every file and indexes what differs; `memd sync` does it too.",
        Remedy.SYNC,
    ),
    Kind(
        "audit-partial",
        "info",
        "There is more text than one check compares, so some files were compared by size and time.",
        "`memd sync --force` compares the content of all.",
    ),
    Kind(
        "index-damaged",
        "error",
        "The index database is damaged.",
        "The doctor sets it aside and builds it anew from the files, which lose nothing.",
        Remedy.MEND,
    ),
    Kind(
        "word-index-damaged",
        "error",
        "The tables of words do not agree with the index.",
        "The doctor fills them again from the index.",
        Remedy.MEND,
    ),
    Kind(
        "index-outdated",
        "warning",
        "The index was made with other settings than would be used now.",
        "The doctor builds it anew; the old one answers meanwhile.",
        Remedy.MEND,
    ),
    Kind(
        "vectors-damaged",
        "error",
        "The database of vectors is damaged; searching by words goes on.",
        "The doctor sets it aside, and the vectors are made anew.",
        Remedy.REFILL,
    ),
    Kind(
        "ledger-damaged",
        "error",
        "The ledger, which cannot be made from the files, is damaged.",
        "Stop memd and bring a backup back; the next start sets the damaged one aside.",
    ),
    Kind(
        "database-unreadable",
        "error",
        "A database cannot be read or written.",
        "See that its disk has room and works.",
    ),
    Kind(
        "newer-database",
        "error",
        "A newer version of memd wrote a database.",
        "Use that version.",
    ),
    Kind(
        "origins-lost",
        "warning",
        "The state of this workspace was lost, so nothing tells who wrote what was there before.",
        "Put the old state folder back while memd is stopped, or read the files and `memd trust` them.",
    ),
    Kind(
        "workspace-moved",
        "warning",
        "The workspace was moved here, and its earlier state, which tells who wrote what, is not used.",
        "The doctor ties the earlier state to this place; then start memd again.",
        Remedy.TIE,
    ),
    Kind(
        "texts-waiting",
        "warning",
        "Accepted texts wait to be written to their notes.",
        "See that the workspace can be written; memd tries again by itself.",
    ),
    Kind(
        "dangling-signals",
        "warning",
        "Candidates for promotion come from places that are gone, or are no memories.",
        "The doctor takes them out; each night does it too.",
        Remedy.PRUNE,
    ),
    Kind(
        "leftover",
        "info",
        "A temporary file of memd was left behind by a process that was ended.",
        "The doctor removes it.",
        Remedy.SWEEP,
    ),
    Kind(
        "lock-lost",
        "warning",
        "A lock file was removed or replaced while memd ran, so a second daemon would not be kept out.",
        "Start memd again, and let nothing clean up its folders.",
    ),
    Kind(
        "set-aside",
        "info",
        "A damaged database was set aside.",
        "Look at it or delete it; memd does not need it.",
    ),
)

MODELS: Final = by_id(
    Kind(
        "embedding-off",
        "info",
        "There is no embedding model: searching is by words alone.",
        "If search by meaning is wanted, do what the reason says; docs/embedding.md has more.",
    ),
    Kind(
        "embedding-failed",
        "warning",
        "The embedding model does not answer; searching is by words meanwhile.",
        "See what the reason says, and docs/embedding.md.",
    ),
    Kind(
        "embedding-wrong",
        "error",
        "The embedding model gives vectors that are of no use.",
        "Install it anew (`memd model install`), or name another one.",
    ),
    Kind(
        "vectors-missing",
        "info",
        "Some texts have no vector yet: they are found by words alone.",
        "Wait; if it does not go, `memd status` has the reason.",
    ),
    Kind(
        "chat-model-off",
        "info",
        "There is no chat model. Everything works without one, with less judgement.",
        "docs/models.md tells how to lend one.",
    ),
    Kind(
        "chat-model-failed",
        "warning",
        "The chat model does not answer.",
        "See what the reason says, and docs/models.md.",
    ),
)
