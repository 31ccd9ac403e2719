// One pass with byte-sized counts per value and a 32-bit total.
var countPairs = function(nums, target) {
    const places = new Map();
    const counts = new Uint8Array(nums.length);
    let result = 0;
    for (const x of nums) {
        const partner = places.get(target - x);
        if (partner !== undefined) result = (result + counts[partner]) | 0;
        if (!places.has(x)) places.set(x, places.size);
        counts[places.get(x)]++;
    }
    return result;
};
