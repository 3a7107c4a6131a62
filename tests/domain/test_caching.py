from openclaw_memd.domain.caching import BoundedCache


def test_computes_once_until_it_is_full() -> None:
    computed: list[str] = []

    def compute(key: str) -> int:
        computed.append(key)
        return len(key)

    cache = BoundedCache(compute, limit_entries=2, key_limit_chars=3)
    assert [cache["a"], cache["a"], cache["bb"], cache["a"]] == [1, 1, 2, 1]
    assert computed == ["a", "bb"]
    assert cache["ccc"] == 3
    assert list(cache) == ["ccc"]


def test_long_keys_are_not_kept() -> None:
    cache = BoundedCache(len, limit_entries=2, key_limit_chars=3)
    assert cache["long"] == 4
    assert not cache
