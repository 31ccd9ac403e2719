// For every element, filters everything behind it.
var countPairs = function(nums, target) {
    let result = 0;
    for (let i = 0; i < nums.length; i++) {
        const want = target - nums[i];
        result += nums.filter((y, j) => j > i && y === want).length;
    }
    return result;
};
