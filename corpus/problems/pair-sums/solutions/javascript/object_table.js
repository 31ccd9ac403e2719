// Frequencies under string keys of a plain object, then one product per pair of values.
var countPairs = function(nums, target) {
    const counts = Object.create(null);
    for (const x of nums) {
        const key = "v" + x;
        counts[key] = (counts[key] || 0) + 1;
    }
    let ordered = 0;
    for (const key in counts) {
        const x = Number(key.slice(1));
        const c = counts[key];
        if (2 * x === target) ordered += c * (c - 1);
        else ordered += c * (counts["v" + (target - x)] || 0);
    }
    return ordered / 2;
};
