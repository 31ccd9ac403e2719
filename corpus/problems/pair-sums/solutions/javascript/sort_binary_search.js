// Sort with a comparator, then two binary searches per element.
function lowerBound(a, from, bound) {
    let low = from, high = a.length;
    while (low < high) {
        const mid = (low + high) >> 1;
        if (a[mid] < bound) low = mid + 1;
        else high = mid;
    }
    return low;
}

function countPairs(nums, target) {
    nums.sort((x, y) => x - y);
    let result = 0;
    nums.forEach((x, i) => {
        const want = target - x;
        result += lowerBound(nums, i + 1, want + 1) - lowerBound(nums, i + 1, want);
    });
    return result;
}
