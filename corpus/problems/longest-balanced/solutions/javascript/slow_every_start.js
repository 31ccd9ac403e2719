// Every start, balance followed to the right.
var longestBalanced = function(s) {
    let best = 0;
    for (let i = 0; i < s.length; i++) {
        let depth = 0;
        for (let j = i; j < s.length; j++) {
            if (s.charCodeAt(j) === 40) depth++;
            else depth--;
            if (depth < 0) break;
            if (depth === 0 && j - i + 1 > best) best = j - i + 1;
        }
    }
    return best;
};
