"""What a row of the rolled-up layers says: means from its sums, as SQL. Null is unknown."""


def mean(name: str) -> str:
    return f"({name}_sum / nullif({name}_n, 0))"


# Watts and TH/s of the samples that have both, as `power_5min_w` and `powered_5min_ths` of the live layer. Rows from
# before those were kept give the means of all samples. Who is online never draws 0 W: 0 means that no sample has both.
POWERED_W = "(nullif(coalesce(powered_w_sum, power_sum), 0) / nullif(power_n, 0))"
POWERED_THS = f"coalesce(powered_ths_sum / nullif(power_n, 0), {mean('hashrate')})"
