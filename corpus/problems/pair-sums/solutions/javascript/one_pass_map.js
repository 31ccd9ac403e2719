// One pass with a Map of the values seen so far.
var countPairs = function(nums, target) {
    const seen = new Map();
    let result = 0;
    for (const x of nums) {
        result += seen.get(target - x) || 0;
        seen.set(x, (seen.get(x) || 0) + 1);
    }
    return result;
};
