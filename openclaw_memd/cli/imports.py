"""``memd import``: bring in what other assistants remember, after it was shown what that is."""

import shlex
from argparse import ArgumentParser, Namespace
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from openclaw_memd.cli.arguments import UsageError
from openclaw_memd.cli.client import call
from openclaw_memd.cli.exits import DONE, FAILED
from openclaw_memd.cli.jobs import follow_job
from openclaw_memd.cli.output import amount, paint, plain_line, print_json, size

SUMMARY = "bring in what Codex, Claude Code, OpenClaw or a folder remembers"

_SOURCES: Final = ("codex", "claude-code", "openclaw", "path")
_USUAL: Final = _SOURCES[:3]
_LOOK_WITHIN_S: Final = 600.0
_SHOWN: Final = 20
_WORDS: Final = {
    "exists": "with other content",
    "edited": "it was changed since",
    "own_memory": "memd has it already",
}
_COLOURS: Final = {"new": "green", "unchanged": "dim", "replace": "yellow", "conflict": "red"}


def configure(parser: ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("action", nargs="?", choices=["preview", "apply", "undo"], default="preview")
    parser.add_argument(
        "what", nargs="?", metavar="SOURCE|ID", help=f"{', '.join(_SOURCES)}; undo: the id of an import"
    )
    parser.add_argument(
        "--from", dest="origin", metavar="PATH", help="where it is, if not in the usual place"
    )
    parser.add_argument(
        "--replace", action="store_true", help="put files in the place of others, which are backed up first"
    )


def execute(options: Namespace) -> int:
    """Show, import or take back."""
    match options.action:
        case "undo":
            return _undo(options)
        case "apply":
            return _apply(options)
        case _:
            return _preview(options)


def _preview(options: Namespace) -> int:
    """Show what one source has; without one, what each has in its usual place."""
    if options.what is None and options.origin is None:
        found = [_ask(options, {"source": source}) for source in _USUAL]
        if options.json:
            print_json({"previews": found})
        else:
            for one in found:
                _show_summary(one)
            _show_receipts(found[0]["imports"])
        return DONE
    preview = _ask(options, _wish(options))
    if options.json:
        print_json(preview)
    else:
        _show(preview)
        _show_receipts(preview["imports"])
    return DONE


def _ask(options: Namespace, params: dict[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = call(options, "import.preview", params, timeout_s=_LOOK_WITHIN_S)
    return answer


def _apply(options: Namespace) -> int:
    started = call(options, "import.apply", _wish(options) | {"wait": False})
    done = follow_job(options, started["job_id"], what="Importing", unit="files")
    code = FAILED if done["id"] is not None and not done["copied"] else DONE
    if options.json:
        print_json(done)
        return code
    _show(done["report"], is_done=True)
    if done["id"] is None:
        print("nothing to import")
        return code
    if code == FAILED:
        print("nothing could be written")
        return code
    replaced = f", {done['replaced']:,} of them in the place of others" if done["replaced"] else ""
    print(paint(f"imported {amount(done['copied'], 'file')}{replaced}", "bold"))
    if done["resumed"]:
        print("it went on with an import that was cut off")
    if done["backup"]:
        print(f"what they replaced is in {plain_line(done['backup'])}")
    print(f"to search it: memd search --corpus imports ...; to take it back: memd import undo {done['id']}")
    return DONE


def _undo(options: Namespace) -> int:
    if options.what is None:
        raise UsageError("name the import to take back: `memd import` lists them")
    if options.origin or options.replace:
        raise UsageError("undo takes an id alone")
    done = call(options, "import.undo", {"id": options.what}, timeout_s=_LOOK_WITHIN_S)
    if options.json:
        print_json(done)
        return DONE
    removed, put_back = done["removed"], done["restored"] - done["removed"]
    print(paint(f"{amount(removed, 'file')} removed, {put_back:,} put back", "bold"))
    _show_left("kept", done["kept"], done["kept_count"])
    return DONE


def _wish(options: Namespace) -> dict[str, Any]:
    if options.what is None or options.what not in _SOURCES:
        raise UsageError(f"name a source: {', '.join(_SOURCES)}")
    params: dict[str, Any] = {"source": options.what, "replace": options.replace}
    if options.origin is not None:
        params["from"] = str(Path(options.origin).expanduser().absolute())
    elif options.what == "path":
        raise UsageError("path needs --from")
    return params


def _show_summary(preview: dict[str, Any]) -> None:
    name = paint(f"{preview['source']:<12}", "bold")
    if not preview["file_count"] and not preview["skipped_count"]:
        print(f"{name} nothing in {plain_line(preview['from'])}")
        return
    print(f"{name} {_counts(preview)} in {plain_line(preview['from'])}")


def _show(preview: dict[str, Any], *, is_done: bool = False) -> None:
    print(f"{paint(preview['source'], 'bold')} in {plain_line(preview['from'])}: {_counts(preview)}")
    if not is_done:
        for one in preview["files"][:_SHOWN]:
            state = paint(f"{one['state']:<10}", _COLOURS[one["state"]])
            print(f"  {state} {size(one['bytes']):>8}  {plain_line(one['path'])}")
        _show_more(preview["file_count"] - min(len(preview["files"]), _SHOWN))
    _show_left("conflict", preview["conflicts"], preview["conflict_count"])
    _show_left("skipped", preview["skipped"], preview["skipped_count"])
    if preview["intents"]:
        print(f"{amount(preview['intent_count'], 'standing intent')}; none fires here. To make them anew:")
        for one in preview["intents"][:_SHOWN]:
            print(f"  {plain_line(one['command'])}")
        _show_more(preview["intent_count"] - min(len(preview["intents"]), _SHOWN))
    if preview["recalls"]:
        number = preview["recalls"]["entries"]
        verb = "is" if number == 1 else "are"
        count = amount(number, "entry", "entries")
        print(f"{count} of recalled text {verb} not taken over: memd counts for itself")
    if preview["doubted"]:
        count = amount(preview["doubted_count"], "file")
        print(f"{count} of this workspace OpenClaw recorded as text from outside. If that is so, say it:")
        for one in preview["doubted"][:_SHOWN]:
            print(f"  memd trust --lower {plain_line(shlex.quote(one))}")
        _show_more(preview["doubted_count"] - min(len(preview["doubted"]), _SHOWN))
    if preview["sessions"]:
        print("to read the transcripts too, add to the configuration:")
        for one in preview["sessions"]:
            print("".join(f"  {plain_line(line)}\n" for line in one.splitlines()))


def _counts(preview: dict[str, Any]) -> str:
    names = ("new", "unchanged", "replaced")
    parts = [f"{preview[name]:,} {name}" for name in names if preview[name]]
    parts += [f"{amount(preview['conflict_count'], 'conflict')}"] if preview["conflict_count"] else []
    parts += [f"{preview['skipped_count']:,} skipped"] if preview["skipped_count"] else []
    return (
        f"{amount(preview['file_count'], 'file')} ({', '.join(parts) or 'nothing'}), {size(preview['bytes'])}"
    )


def _show_left(word: str, rows: list[dict[str, Any]], count: int) -> None:
    for one in rows[:_SHOWN]:
        why = plain_line(one["reason"])
        why += f": {_WORDS[why]}" if why in _WORDS else ""
        print(f"{paint(word, 'yellow')}: {plain_line(one['path'])} ({why})")
    _show_more(count - min(len(rows), _SHOWN))


def _show_more(count: int) -> None:
    if count > 0:
        print(f"  ... and {count:,} more")


def _show_receipts(rows: list[dict[str, Any]]) -> None:
    for row in rows[:_SHOWN]:
        at = datetime.fromisoformat(row["at"]).astimezone().strftime("%Y-%m-%d %H:%M")
        print(f"{paint(row['id'], 'bold')}  {at}  {row['source']}  {row['state']}")
