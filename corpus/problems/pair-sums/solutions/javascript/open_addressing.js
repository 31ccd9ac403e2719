// One pass with a hand-made hash table on typed arrays.
var countPairs = function(nums, target) {
    let bits = 4;
    while ((1 << bits) < 2 * nums.length) bits++;
    const mask = (1 << bits) - 1;
    const values = new Int32Array(1 << bits);
    const counts = new Int32Array(1 << bits);
    function slot(x) {
        let h = Math.imul(x, 0x9E3779B1) >>> (32 - bits);
        while (counts[h] !== 0 && values[h] !== x) h = (h + 1) & mask;
        return h;
    }
    let result = 0;
    for (let i = 0; i < nums.length; i++) {
        const x = nums[i];
        result += counts[slot(target - x)];
        const own = slot(x);
        values[own] = x;
        counts[own]++;
    }
    return result;
};
