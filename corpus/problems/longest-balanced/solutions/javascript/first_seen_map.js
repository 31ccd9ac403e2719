// Map from height to the place where the present stretch at that height started.
var longestBalanced = function(s) {
    const first = new Map([[0, 0]]);
    let height = 0, best = 0, position = 0;
    for (const ch of s) {
        position++;
        if (ch === '(') {
            height++;
            if (!first.has(height)) first.set(height, position);
        } else {
            first.delete(height);
            height--;
            if (first.has(height)) best = Math.max(best, position - first.get(height));
            else first.set(height, position);
        }
    }
    return best;
};
