// Indices sorted by value are split by position: the earlier half is solved first,
// its lengths are carried over to the later half in value order, then that half is solved.
var longestRising = function(nums) {
    const n = nums.length;
    const best = new Int32Array(n).fill(1);
    const solve = (order, lo, hi) => {
        if (hi - lo < 2) return;
        const mid = (lo + hi) >> 1;
        const early = order.filter(i => i < mid);
        const late = order.filter(i => i >= mid);
        solve(early, lo, mid);
        let k = 0, carried = 0;
        for (const i of late) {
            while (k < early.length && nums[early[k]] < nums[i]) {
                if (best[early[k]] > carried) carried = best[early[k]];
                k++;
            }
            if (carried + 1 > best[i]) best[i] = carried + 1;
        }
        solve(late, mid, hi);
    };
    const order = nums.map((_, i) => i).sort((a, b) => nums[a] - nums[b]);
    solve(order, 0, n);
    return best.reduce((a, b) => Math.max(a, b), 0);
};
