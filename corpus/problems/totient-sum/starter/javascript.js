/**
 * @param {number} n
 * @return {number}
 */
var totientSum = function(n) {
    
};
