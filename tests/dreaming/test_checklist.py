"""What a system that dreams gets wrong, case by case, and the test that holds each case here.

A case names tests as ``module:test`` below ``tests``. One that cannot come up says why instead.
"""

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import ModuleType

import pytest


@dataclass(frozen=True)
class Case:
    """One case: what holds, and which tests hold it; ``instead`` says why the case cannot come up."""

    holds: str
    tests: tuple[str, ...] = ()
    instead: str = ""

    def __str__(self) -> str:
        return self.holds


def case(holds: str, *tests: str, instead: str = "") -> Case:
    return Case(holds, tests, instead)


CASES = (
    # where memory of days lies, and what is kept of it
    case(
        "dated notes, nested or with a slug, are of days; curated files, reports, what lies outside: not",
        "dreaming.test_signals:test_notes_of_days_are_short_term_wherever_they_lie_in_memory",
        "domain.test_short_term:test_everything_else",
    ),
    case(
        "a bare name of a note means the one in memory",
        "dreaming.test_signals:test_a_bare_name_is_one_in_memory",
    ),
    case(
        "a hit in a curated file alone is no recall",
        "dreaming.test_signals:test_a_hit_in_a_curated_file_alone_is_nothing",
    ),
    case("a blank question is none", "dreaming.test_signals:test_a_blank_question_is_nothing"),
    case(
        "recorders at the same time lose nothing",
        "dreaming.test_signals:test_concurrent_recorders_lose_nothing",
    ),
    case(
        "the same question counts once a day in a session, and once more on another day",
        "dreaming.test_signals:test_the_same_question_counts_once_a_session_and_day",
        "dreaming.test_signals:test_p3_three_questions_on_three_days_are_three_queries",
    ),
    case(
        "over the limit the one goes that was of use longest ago, of equal ones that with fewer signals",
        "index.ledger.test_signals:"
        "test_the_513th_candidate_takes_the_place_of_the_one_that_was_of_use_longest_ago",
        "index.ledger.test_signals:test_of_equally_old_ones_that_with_fewer_signals_goes",
    ),
    case(
        "texts that differ behind the cut are two claims",
        "dreaming.test_signals:test_long_texts_with_the_same_beginning_are_two_claims",
    ),
    case(
        "the same bullet in two notes is one claim, with the first place and the days of both",
        "dreaming.test_signals:test_the_same_bullet_in_two_notes_is_one_claim_with_the_days_of_both",
    ),
    case(
        "a recall and a note of the same claim meet in one candidate, whichever came first",
        "dreaming.test_signals:test_a_recall_and_a_note_of_the_same_claim_are_one_candidate",
    ),
    case(
        "other text at the same lines is another claim",
        "dreaming.test_signals:test_other_text_at_the_same_lines_is_another_claim",
    ),
    case(
        "notes and old notes ask no question",
        "dreaming.test_signals:test_notes_are_no_questions",
        "dreaming.test_backfill:test_what_an_old_note_says_is_shown_and_staged_with_its_own_day",
    ),
    case(
        "an unchanged note that is read again is no new use",
        "dreaming.test_signals:test_a_note_that_is_read_again_is_not_of_use_again",
    ),
    case(
        "who is behind a claim only falls: the least trusted, and what all have in common",
        "index.ledger.test_signals:test_provenance_is_that_of_the_least_trusted_and_what_all_have_in_common",
        "index.ledger.test_signals:test_provenance_only_falls",
    ),
    case(
        "what a forgotten session found is dropped while it is recorded, the rest is kept",
        "dreaming.test_signals:test_a_forgotten_session_leaves_nothing_and_others_stay",
    ),
    case(
        "rows that are no memory go one by one, the rest stays",
        "dreaming.test_signals:test_rows_that_are_no_memory_are_dropped_one_by_one",
    ),
    # text of machines
    case(
        "lines of a light report are known with bullets, hunks, brackets or a long lead before them",
        "domain.test_contamination:test_it_is_told",
    ),
    case(
        "prose with a few of the same words is no report",
        "domain.test_contamination:test_what_only_resembles_it_is_none",
    ),
    case("text that only speaks of dreaming is text", "dreaming.test_edges:test_text_about_dreaming_is_text"),
    case(
        "a line that begins with who speaks is no claim of a note and may be promoted from a session",
        "domain.test_contamination:test_turns_of_a_conversation_begin_with_who_speaks",
        "dreaming.test_ingesting:test_three_short_sessions_on_two_days_lead_to_promotion",
    ),
    case(
        "summaries, heads of transcripts, prompts and tails of scores are no memory",
        "domain.test_contamination:test_it_is_told",
        "domain.test_daily_claims:test_text_of_machines_claims_nothing_in_any_of_its_parts",
    ),
    case(
        "what makes a text no memory is seen behind the cut too",
        "dreaming.test_edges:test_a_tail_behind_the_cut_is_seen_all_the_same",
    ),
    # scores
    case(
        "recency halves in the half-life, and no half-life is refused",
        "domain.test_promotion_score:test_recency_halves_in_the_half_life_and_a_time_to_come_is_now",
        "dreaming.test_edges:test_a_threshold_that_means_nothing_is_refused",
    ),
    case(
        "recalls that are spread over a week consolidate more than those of one day, three old notes fully",
        "dreaming.test_edges:test_spread_recalls_and_old_notes_consolidate",
        "domain.test_promotion_score:test_days_count_once_and_are_better_spread",
    ),
    case(
        "a threshold that means nothing is an error of the configuration; a score that is equal passes",
        "dreaming.test_edges:test_a_threshold_that_means_nothing_is_refused",
        "domain.test_promotion_gates:test_age_and_score_are_inclusive",
    ),
    case(
        "hits of the phases may decide, fresh ones more, and without a time they count nothing",
        "domain.test_promotion_gates:test_phase_boost_decides_at_three_signals",
        "domain.test_promotion_score:test_a_phase_without_a_time_counts_nothing_and_half_after_two_weeks",
    ),
    case(
        "what was of use too long ago is out, at the instant at which it would be written",
        "dreaming.test_edges:test_a_decision_counts_for_the_night_at_which_it_was_taken",
    ),
    case(
        "equal scores go by recalls, then by path",
        "domain.test_promotion_gates:test_ties_go_by_recalls_then_path",
    ),
    case(
        "tags keep accents and terms of the trade; scraps of kana, dates, suffixes and comments are none",
        "domain.test_concept_tags:test_accents_are_kept",
        "domain.test_concept_tags:test_terms_of_the_trade_are_kept_in_text_without_spaces",
        "domain.test_concept_tags:test_fragments_of_kana_are_dropped",
        "domain.test_concept_tags:test_other_scripts_have_tags_too",
        "domain.test_concept_tags:test_dates_numbers_and_suffixes_are_no_tags",
        "domain.test_concept_tags:test_comments_are_no_text",
    ),
    # reading notes and sessions
    case(
        "a note counts once a dreaming day, and what is new in it at once",
        "dreaming.test_ingesting:test_a_note_counts_once_a_day_and_what_is_new_in_it_at_once",
    ),
    case(
        "headings that only date add nothing, others stand before items, nested ones under their parents",
        "domain.test_daily_claims:test_a_heading_that_says_something_stands_before_its_items",
        "domain.test_daily_claims:test_items_stand_under_those_that_they_are_in",
        "domain.test_daily_claims:test_an_item_with_children_that_says_something_is_a_claim_itself",
        "domain.test_daily_claims:test_headings_that_only_date",
    ),
    case(
        "blocks of dreaming in a note are left out, also without an end, and lines keep their numbers",
        "domain.test_daily_claims:test_managed_blocks_are_left_out_and_lines_counted",
        "domain.test_daily_claims:test_two_blocks_leave_what_is_between",
    ),
    case(
        "under a cap the newest notes come first, and of a day its own note",
        "dreaming.test_ingesting:test_the_newest_notes_come_first_and_the_days_own_before_others",
    ),
    case(
        "quarantined notes are read by nobody, handwritten ones are trusted, one outside line costs no other",
        "dreaming.test_ingesting:test_quarantined_notes_are_not_read_and_handwritten_ones_are_the_agents",
        "dreaming.test_signals:test_t2_one_outside_line_costs_the_others_nothing",
    ),
    case(
        "scheduled runs, heartbeats, sub-agents and their children bring nothing, and circles of parents end",
        "dreaming.test_ingesting:test_only_interactive_sessions_are_read",
        "dreaming.test_signals:test_a_child_of_a_cron_run_counts_as_little_as_that",
        "domain.test_kinship:test_a_lineage_ends_at_what_is_not_known_and_in_a_circle",
        "sessions.test_folders:test_nothing_of_a_generated_transcript_is_kept",
    ),
    case(
        "in a turn with recalled memory neither that nor what is said after it is learned",
        "dreaming.test_ingesting:test_what_follows_recalled_memory_in_a_turn_is_not_learned",
    ),
    case(
        "a session is gone on with, read anew when it was rewritten, and read when a rule lets it in",
        "dreaming.test_ingesting:test_reading_goes_on_where_it_ended",
        "dreaming.test_ingesting:test_what_a_rule_excluded_is_read_when_the_rule_is_gone",
        "dreaming.test_ingesting:test_a_reading_that_was_cut_off_is_done_again_and_nothing_is_twice",
    ),
    case(
        "the same words count once a session and day",
        "dreaming.test_ingesting:test_the_same_words_count_once_a_session_and_day",
    ),
    case(
        "the configured zone decides about days", "dreaming.test_ingesting:test_the_zone_decides_about_days"
    ),
    # light and REM
    case(
        "light chooses again only what was of use again",
        "domain.test_light:test_not_again_until_it_is_of_use_again",
    ),
    case(
        "near-duplicates merge within a place, also without spaces between words; emoji only when equal",
        "domain.test_light:test_near_duplicates_merge_within_a_place_only",
        "domain.test_light:test_near_duplicates_in_scripts_without_spaces_merge_and_emoji_only_when_equal",
    ),
    case(
        "what the diary told goes last and still fills free places",
        "domain.test_light:test_what_the_diary_told_goes_last_but_fills_free_places",
    ),
    case(
        "what only notes say is judged by its days",
        "domain.test_light:test_what_only_notes_say_is_judged_by_their_days",
    ),
    case(
        "REM prefers what light chose until it considered it; three of eight make a theme and two do not",
        "domain.test_rem:test_what_light_chose_is_preferred_until_it_was_considered",
        "domain.test_rem:test_a_tag_in_three_of_eight_is_a_theme_and_in_two_is_none",
    ),
    case(
        "an empty night writes no file and is told of all the same",
        "dreaming.test_night:test_an_empty_night_writes_nothing",
        "dreaming.test_night:test_a_finished_night_is_told_even_when_nothing_happened",
    ),
    case(
        "blocks in daily notes say when a phase found nothing",
        instead="memd writes into no note: its blocks stand in DREAMS.md alone.",
    ),
    case(
        "a diary without a model, or with one that fails, tells no fragment, and nothing that was forgotten",
        "dreaming.test_night:test_when_the_model_fails_the_diary_tells_nothing",
        "dreaming.test_rendering:test_without_a_model_the_diary_is_made_of_numbers",
        "dreaming.test_night:test_nothing_is_told_of_what_was_forgotten_meanwhile",
    ),
    case(
        "a link in the place of DREAMS.md is refused, the old name goes on, people's text stays, doubles go",
        "dreaming.test_night:test_a_page_that_is_a_link_stops_nothing",
        "files.test_dreams:test_an_old_name_is_kept",
        "domain.test_dream_pages:test_what_people_wrote_is_kept_byte_for_byte",
        "domain.test_dream_pages:test_later_blocks_of_the_phase_go_and_what_people_wrote_stays",
    ),
    case(
        "a second run of a day does not take the report of the first",
        "dreaming.test_night:test_a_second_run_on_a_day_leaves_the_report_of_the_first",
    ),
    case(
        "a night that failed is told of",
        "dreaming.test_night:test_a_night_that_failed_or_was_cancelled_is_told_of",
    ),
    # finding a claim again
    case(
        "a moved line has its new place; a deleted one is refused and makes no file",
        "domain.test_rehydration:test_a_moved_line_has_its_new_place_and_a_deleted_one_none",
        "dreaming.test_consolidating:test_a_deleted_source_promotes_nothing_and_makes_no_file",
    ),
    case(
        "of equal lines the nearest counts", "domain.test_rehydration:test_of_equal_lines_the_nearest_counts"
    ),
    case(
        "several items that were one snippet are joined, and a renamed heading is the one of now",
        "domain.test_rehydration:test_items_that_were_one_snippet_are_joined",
        "domain.test_rehydration:test_a_renamed_heading_is_the_one_of_now",
    ),
    case(
        "a snippet that was cut is the whole line again",
        "domain.test_rehydration:test_a_cut_snippet_is_the_whole_line_again",
        "domain.test_promoted_lines:test_a_long_text_is_cut_behind_a_sentence_or_a_word",
    ),
    case(
        "what touches a block of dreaming is refused",
        "domain.test_rehydration:test_what_dreaming_wrote_is_refused",
    ),
    case(
        "no heading is invented, and a plain one never comes back",
        "domain.test_rehydration:test_no_heading_is_invented_and_a_plain_one_never_comes_back",
    ),
    case(
        "comments break no match; a comment alone and a mere fragment are no claim",
        "domain.test_rehydration:test_comments_do_not_count",
        "domain.test_rehydration:test_a_changed_line_is_not_what_was_found",
    ),
    # writing
    case(
        "what has its anchor in the file already is taken up, once, also for paths with spaces",
        "dreaming.test_consolidating:test_what_is_anchored_already_is_reconciled_and_nothing_twice",
        "domain.test_promoted_lines:test_anchors_of_openclaw_are_known",
    ),
    case(
        "a bullet stays one bullet, and a long text ends at a sentence or a word",
        "domain.test_promoted_lines:test_a_long_text_is_cut_behind_a_sentence_or_a_word",
        "domain.test_promoted_lines:test_a_marker_or_a_comment_of_the_text_makes_nothing_else_of_it",
    ),
    case(
        "no model is asked about what is not trusted, nor when nothing else is left",
        "dreaming.test_consolidating:test_what_is_not_trusted_changes_nothing_and_no_model_is_asked",
    ),
    case(
        "a reply with one missing, double, unknown or wrong operation, or with prose, counts for nothing",
        "domain.test_consolidation_reply:test_one_thing_wrong_and_the_whole_plan_counts_for_nothing",
        "domain.test_consolidation_reply:test_a_missing_operation_is_one_too_few",
        "dreaming.test_consolidating:test_whatever_is_wrong_with_a_reply_rules_alone_decide",
    ),
    case(
        "other values make another fact",
        "domain.test_consolidation:test_other_numbers_names_and_negations_make_another_fact",
    ),
    case(
        "more loss than a night may cause, no room, and what cannot be one entry: it waits",
        "domain.test_consolidated_text:test_more_than_may_go_waits",
        "domain.test_consolidated_text:test_over_the_budget_the_worst_waits_and_a_full_file_stays_as_it_is",
        "domain.test_consolidated_text:test_what_cannot_be_one_entry_is_not_written",
    ),
    case(
        "what somebody writes during the call of the model, or while it is written, is kept",
        "dreaming.test_consolidating:test_an_edit_during_the_model_call_is_kept",
        "dreaming.test_consolidating:test_what_an_editor_wrote_meanwhile_is_not_added_again",
    ),
    case(
        "a candidate that changed during the call is not promoted",
        "dreaming.test_consolidating:test_a_candidate_that_changed_during_the_call_is_not_promoted",
    ),
    case(
        "what is replaced takes its anchors along, and what is anchored is not written again",
        "domain.test_consolidated_text:test_the_anchors_of_what_is_replaced_go_with_it",
        "dreaming.test_consolidating:test_running_twice_changes_nothing",
    ),
    case(
        "a file that is full of people's text stays as it is, candidates wait, and that alone is no news",
        "dreaming.test_consolidating:test_a_full_file_is_not_touched_and_candidates_wait",
        "dreaming.test_edges:test_a_full_file_alone_is_no_news",
    ),
    case(
        "only whole generated sections make room, the oldest first; one that somebody edited survives",
        "domain.test_consolidated_text:test_the_oldest_generated_sections_make_room_and_no_others",
        "domain.test_consolidated_text:test_a_section_that_somebody_edited_survives",
    ),
    case(
        "few changes are shown, each counted once, and no letter is cut in two",
        "dreaming.test_edges:test_a_page_shows_few_changes_and_cuts_no_letter_in_two",
    ),
    case(
        "a folder that cannot be written costs nothing but the night, and what is no text is refused",
        "dreaming.test_consolidating:test_the_file_that_cannot_be_written_stays_and_candidates_wait",
        "dreaming.test_consolidating:test_what_is_no_text_is_not_touched",
    ),
    case(
        "in a read-only folder the file is rewritten where it stands",
        instead="The one writer never writes into a file that somebody may be reading: candidates wait.",
    ),
    # old notes, forgetting, mending
    case(
        "taking back what old notes brought keeps what was recalled",
        "index.ledger.test_signals:test_what_only_old_notes_told_is_taken_back_and_what_was_asked_for_stays",
        "dreaming.test_backfill:test_a_rollback_leaves_what_was_of_use_otherwise",
    ),
    case(
        "a second look finds nothing new, and after a rollback the same again",
        "dreaming.test_backfill:test_a_second_look_finds_nothing_new_and_after_a_rollback_the_same_again",
        "dreaming.test_backfill_laws:test_looking_twice_is_once_and_a_rollback_is_exact",
    ),
    case(
        "whatever ends a look in the middle, a second one or a rollback mends it",
        "crash.test_backfill_steps:test_a_second_look_or_a_rollback_mends_it",
    ),
    case(
        "a foreign transcript with forged marks of an owner is not the owner's",
        "sessions.formats.test_openclaw:test_nothing_beside_the_metadata_makes_an_owner",
        "sessions.formats.test_openclaw:test_only_the_literal_truth_makes_an_owner",
        "sessions.test_appending:test_forged_facts_in_a_text_change_nothing",
    ),
    case(
        "forgetting that was cut off is done again; mixed entries go, a longer id and mere prose stay",
        "ops.test_forgetting:test_a_call_that_was_cut_off_is_made_again",
        "ops.test_dreamt:test_a_call_that_was_cut_off_is_made_again",
        "ops.test_forgetting:test_an_unrelated_session_changes_nothing",
    ),
    case(
        "what is forgotten leaves the pages of old notes too",
        "dreaming.test_backfill:test_what_is_forgotten_leaves_the_diary_also_where_nothing_was_staged",
    ),
    case(
        "the lock of a dead process holds nobody up, that of a living one does",
        "daemon.test_one_daemon:test_a_killed_daemon_s_socket_and_locks_are_taken_over_at_once",
        "daemon.test_one_daemon:test_a_lock_file_that_names_a_living_process_holds_nobody_up",
        "dreaming.test_night:test_one_night_at_a_time_and_a_dead_one_is_gone_on_with",
    ),
    case(
        "a repair of what is sound writes nothing",
        "dreaming.test_edges:test_signals_in_good_order_are_not_written_by_a_repair",
    ),
)

NAMED = [(one, name) for one in CASES for name in one.tests]


@cache
def _module(name: str) -> ModuleType:
    return import_module(f"tests.{name}")


@pytest.mark.parametrize(("one", "name"), NAMED, ids=[name for _, name in NAMED])
def test_the_test_that_holds_a_case_is_there(one: Case, name: str) -> None:
    module, _, test = name.partition(":")
    assert test.startswith("test_"), one.holds
    assert callable(getattr(_module(module), test, None)), f"nothing holds: {one.holds}"


@pytest.mark.parametrize("one", CASES, ids=str)
def test_a_case_has_tests_or_a_reason(one: Case) -> None:
    assert bool(one.tests) != bool(one.instead)
