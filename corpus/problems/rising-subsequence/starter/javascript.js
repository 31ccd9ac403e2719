/**
 * @param {number[]} nums
 * @return {number}
 */
var longestRising = function(nums) {
    
};
