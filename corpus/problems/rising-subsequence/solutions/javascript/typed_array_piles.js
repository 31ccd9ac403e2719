// Smallest tail per length in a typed array, found by binary search.
var longestRising = function(nums) {
    const tails = new Int32Array(nums.length);
    let size = 0;
    for (let i = 0; i < nums.length; i++) {
        const x = nums[i];
        let lo = 0, hi = size;
        while (lo < hi) {
            const mid = (lo + hi) >>> 1;
            if (tails[mid] < x) lo = mid + 1;
            else hi = mid;
        }
        tails[lo] = x;
        if (lo === size) size++;
    }
    return size;
};
