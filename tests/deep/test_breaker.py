from openclaw_memd.deep.breaker import COOLDOWN_S, TIMEOUTS, Breaker


def silent(breaker: Breaker, times: int, now_s: float = 0.0, key: str = "main:m") -> None:
    for _ in range(times):
        breaker.note_timeout(key, now_s)


def test_it_opens_at_the_third_silence_in_a_row() -> None:
    breaker = Breaker()
    silent(breaker, TIMEOUTS - 1)
    assert breaker.admits("main:m", 1.0)

    silent(breaker, 1)

    assert not breaker.admits("main:m", 1.0)
    assert not breaker.admits("main:m", COOLDOWN_S - 0.1)
    assert breaker.admits("main:other", 1.0)


def test_an_answer_between_starts_anew() -> None:
    breaker = Breaker()
    silent(breaker, TIMEOUTS - 1)
    breaker.note_answer("main:m")
    silent(breaker, TIMEOUTS - 1)

    assert breaker.admits("main:m", 1.0)


def test_one_attempt_passes_after_each_cooldown() -> None:
    breaker = Breaker()
    silent(breaker, TIMEOUTS)

    assert breaker.admits("main:m", COOLDOWN_S)
    assert not breaker.admits("main:m", COOLDOWN_S + 1)
    silent(breaker, 1, COOLDOWN_S + 15)
    assert not breaker.admits("main:m", COOLDOWN_S * 2)
    assert breaker.admits("main:m", COOLDOWN_S * 2 + 15)


def test_an_attempt_that_is_answered_closes_it() -> None:
    breaker = Breaker()
    silent(breaker, TIMEOUTS)
    assert breaker.admits("main:m", COOLDOWN_S)

    breaker.note_answer("main:m")

    assert all(breaker.admits("main:m", COOLDOWN_S + second) for second in range(5))
