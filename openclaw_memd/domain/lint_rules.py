"""The rules that curated files are looked at by."""

from enum import StrEnum


class Rule(StrEnum):
    """What a finding is about. The set is closed; each has a ``description``."""

    OVER_BUDGET = "over_budget"
    TOO_MANY_ENTRIES = "too_many_entries"
    LONG_ENTRY = "long_entry"
    DUPLICATE = "duplicate"
    NEAR_DUPLICATE = "near_duplicate"
    DUPLICATE_KEY = "duplicate_key"
    REVIEW_DUE = "review_due"
    EXPIRED = "expired"
    WEAK_TRIGGER = "weak_trigger"
    UNTERMINATED_COMMENT = "unterminated_comment"
    MISPLACED_ANNOTATION = "misplaced_annotation"
    UNKNOWN_ANNOTATION = "unknown_annotation"
    BAD_IMPORTANCE = "bad_importance"
    BAD_PROJECT = "bad_project"
    BAD_TRIGGER = "bad_trigger"
    BAD_DATE = "bad_date"
    BAD_STATUS = "bad_status"
    BAD_KEY = "bad_key"
    SECRET = "secret"
    LOG_DUMP = "log_dump"
    DIFF = "diff"
    PHONE_NUMBER = "phone_number"
    CHAT = "chat"
    NOT_IMPERATIVE = "not_imperative"
    SEVERAL_ORDERS = "several_instructions"
    MISSING_OBSERVED = "missing_observed"
    MISSING_STATUS = "missing_status"
    PROJECT_IGNORED = "project_ignored"
    UNREADABLE = "unreadable"
    NAME_CASE = "name_case"

    @property
    def description(self) -> str:
        """One plain sentence for people."""
        return _DESCRIPTIONS[self]


_DESCRIPTIONS = {
    Rule.OVER_BUDGET: "The file is longer than its budget; what is over it may not reach a prompt.",
    Rule.TOO_MANY_ENTRIES: "The file has more entries than are of use.",
    Rule.LONG_ENTRY: "The entry is longer than what a search shows of it.",
    Rule.DUPLICATE: "Another entry says the same.",
    Rule.NEAR_DUPLICATE: "Another entry says almost the same.",
    Rule.DUPLICATE_KEY: "Two active entries have one key and apply to the same projects.",
    Rule.REVIEW_DUE: "The `review` date has come.",
    Rule.EXPIRED: "The `expires` date has passed: the entry is not injected any more.",
    Rule.WEAK_TRIGGER: "A trigger has no word that could tell one message from another.",
    Rule.UNTERMINATED_COMMENT: "A comment does not end in its line.",
    Rule.MISPLACED_ANNOTATION: "An annotation with text behind it in its line does not count.",
    Rule.UNKNOWN_ANNOTATION: "The name is none that counts, but nearly one.",
    Rule.BAD_IMPORTANCE: "`importance` is not a number from 1 to 10.",
    Rule.BAD_PROJECT: "`project` is malformed: the entry is not injected anywhere.",
    Rule.BAD_TRIGGER: "`trigger` has no phrase that can be used.",
    Rule.BAD_DATE: "A date is not one of the calendar, as YYYY-MM-DD.",
    Rule.BAD_STATUS: "`status` is neither active nor superseded.",
    Rule.BAD_KEY: "`key` is empty or holds a character that no key may have.",
    Rule.SECRET: "The entry holds what looks like a secret.",
    Rule.LOG_DUMP: "The entry holds lines of a log or a stack trace.",
    Rule.DIFF: "The entry holds a diff.",
    Rule.PHONE_NUMBER: "The entry holds a phone number.",
    Rule.CHAT: "The entry is talk of a moment.",
    Rule.NOT_IMPERATIVE: "USER.md: the entry does not begin with Always, Never or Prefer, or the like.",
    Rule.SEVERAL_ORDERS: "USER.md: the entry gives several instructions.",
    Rule.MISSING_OBSERVED: "USER.md: the entry does not say when it was observed.",
    Rule.MISSING_STATUS: "USER.md: the entry does not say whether it is active.",
    Rule.PROJECT_IGNORED: "USER.md: the entry names a project, and what is here applies everywhere.",
    Rule.UNREADABLE: "The file is there and cannot be read, or memd does not write to it.",
    Rule.NAME_CASE: "A file beside it has nearly its name, and is not read.",
}
