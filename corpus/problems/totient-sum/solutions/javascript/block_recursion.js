// F(m) = m(m+1)/2 - sum of F(floor(m / d)) over d >= 2, memoised in a Map; a sieve up to
// about n^(2/3) answers the small arguments.
var totientSum = function(n) {
    const small = Math.max(2, Math.round(Math.pow(n, 2 / 3)));
    const prefix = new Float64Array(small + 1);
    for (let k = 1; k <= small; k++) prefix[k] = k;
    for (let p = 2; p <= small; p++) {
        if (prefix[p] !== p) continue;
        for (let k = p; k <= small; k += p) prefix[k] -= prefix[k] / p;
    }
    for (let k = 1; k <= small; k++) prefix[k] += prefix[k - 1];
    const known = new Map();
    const total = (m) => {
        if (m <= small) return prefix[m];
        if (known.has(m)) return known.get(m);
        let result = m * (m + 1) / 2;
        for (let d = 2, end; d <= m; d = end + 1) {
            const q = Math.floor(m / d);
            end = Math.floor(m / q);
            result -= (end - d + 1) * total(q);
        }
        known.set(m, result);
        return result;
    };
    return total(n);
};
