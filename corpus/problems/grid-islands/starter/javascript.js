/**
 * @param {number[][]} grid
 * @return {number}
 */
var countIslands = function(grid) {
    
};
