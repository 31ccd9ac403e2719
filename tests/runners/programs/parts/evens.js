var solve = function(nums) {
    let kept = 0;
    for (const n of nums) if (n % 2 === 0) nums[kept++] = n;
    return kept;
};
