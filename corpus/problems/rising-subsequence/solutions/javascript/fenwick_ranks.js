// Compress the values, then keep prefix maxima in a binary indexed tree.
var longestRising = function(nums) {
    const sorted = [...new Set(nums)].sort((a, b) => a - b);
    const rank = new Map();
    sorted.forEach((v, i) => rank.set(v, i + 1));
    const m = sorted.length;
    const tree = new Array(m + 1).fill(0);
    let answer = 0;
    for (const x of nums) {
        const r = rank.get(x);
        let best = 0;
        for (let i = r - 1; i > 0; i -= i & -i) best = Math.max(best, tree[i]);
        best++;
        for (let i = r; i <= m; i += i & -i) tree[i] = Math.max(tree[i], best);
        answer = Math.max(answer, best);
    }
    return answer;
};
