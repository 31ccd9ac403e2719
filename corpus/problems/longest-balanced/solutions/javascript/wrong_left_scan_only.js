// A single pass from the left.
var longestBalanced = function(s) {
    let best = 0, open = 0, shut = 0;
    for (const ch of s) {
        if (ch === '(') open++;
        else shut++;
        if (shut > open) open = shut = 0;
        else if (open === shut) best = Math.max(best, 2 * shut);
    }
    return best;
};
