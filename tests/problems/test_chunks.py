"""What is carried on is cut by machine numbers, which have holes, and whose owners come and go."""

from tests.problems.stored_site import StoredFleet, StoredSite


def counted(site: StoredSite) -> dict[int, float]:
    """Samples of hashrate by place in the fleet, as SQL users see them."""
    rows = site.rows(
        "select m.miner_no, b.sample_count from miner_baseline_state b join miners m using (miner_id)"
        " where metric_name = 'hashrate_ratio'"
    )
    return {site.numbers.index(number): float(count) for number, count in rows}


def spread(site: StoredSite) -> None:
    """The fleet's machines in four chunks, the last numbers of one and the first of the next among them."""
    first = site.numbers[0]
    wanted = [first, 1023, 1024, 1025, 2047, 2048, 2049, 2050, 9000, 9001, 9002, 9003]
    for old, new in zip(site.numbers, wanted, strict=True):
        if old != new:
            site.rows(
                "insert into miners (miner_no, tenant_id, site_id, miner_id, created_at, updated_at)"
                " overriding system value select %s, tenant_id, site_id, 'new ' || miner_id, created_at, updated_at"
                " from miners where miner_no = %s returning 1",
                new, old,
            )  # fmt: skip
            site.rows("delete from miners where miner_no = %s returning 1", old)
    site.numbers = wanted


async def test_machines_with_gaps_in_their_numbers_keep_their_own_history_while_others_come_and_go(
    site: StoredSite,
) -> None:
    fleet = StoredFleet(site)
    spread(site)
    await fleet.cycle(times=6)
    assert site.rows("select chunk, cardinality(miner_no) from problem_state order by chunk") == [
        *((0, 2), (1, 3), (2, 3), (8, 4)),
    ]
    before = counted(site)
    assert len(set(before.values())) == 1
    assert len(before) == 12
    gone = [2, *range(8, 12)]  # one out of the middle, and a whole chunk
    site.rows(
        "update miners set state = 'retired' where miner_no = any(%s) returning 1", [site.numbers[n] for n in gone]
    )
    await fleet.cycle()
    assert counted(site) == {place: before[0] + 1 for place in range(12) if place not in gone}
    site.rows("update miners set state = 'in_service' returning 1")
    await fleet.cycle()
    assert counted(site) == {place: 1 if place in gone else before[0] + 2 for place in range(12)}
