// Keeps a rising stack: smaller numbers pop the larger ones before them.
var longestRising = function(nums) {
    const stack = [];
    let longest = 0;
    for (const x of nums) {
        while (stack.length && stack[stack.length - 1] >= x) stack.pop();
        stack.push(x);
        longest = Math.max(longest, stack.length);
    }
    return longest;
};
