/**
 * @param {string} s
 * @return {number}
 */
var longestBalanced = function(s) {
    
};
