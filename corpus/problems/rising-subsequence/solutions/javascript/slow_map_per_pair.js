// The textbook recurrence, with the lengths kept in a Map from index to length.
var longestRising = function(nums) {
    const ending = new Map();
    let answer = 0;
    for (let i = 0; i < nums.length; i++) {
        let best = 1;
        for (let j = 0; j < i; j++) {
            if (ending.get(j) >= best && nums[j] < nums[i]) best = ending.get(j) + 1;
        }
        ending.set(i, best);
        answer = Math.max(answer, best);
    }
    return answer;
};
