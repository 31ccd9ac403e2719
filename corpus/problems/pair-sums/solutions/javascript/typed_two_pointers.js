// Typed array, numeric sort, two pointers over runs of equal values.
var countPairs = function(nums, target) {
    const a = Int32Array.from(nums).sort();
    let i = 0, j = a.length - 1, result = 0;
    while (i < j) {
        const total = a[i] + a[j];
        if (total < target) {
            i++;
        } else if (total > target) {
            j--;
        } else if (a[i] === a[j]) {
            const k = j - i + 1;
            return result + k * (k - 1) / 2;
        } else {
            let left = 1, right = 1;
            while (a[i + left] === a[i]) left++;
            while (a[j - right] === a[j]) right++;
            result += left * right;
            i += left;
            j -= right;
        }
    }
    return result;
};
