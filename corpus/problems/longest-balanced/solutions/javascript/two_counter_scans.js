// Counters only, a pass in each direction.
function longestBalanced(s) {
    let best = 0, depth = 0, length = 0;
    for (let i = 0; i < s.length; i++) {
        if (s.charCodeAt(i) === 40) {
            depth++;
        } else if (depth === 0) {
            length = 0;
        } else {
            length += 2;
            if (--depth === 0 && length > best) best = length;
        }
    }
    depth = length = 0;
    for (let i = s.length - 1; i >= 0; i--) {
        if (s.charCodeAt(i) === 41) {
            depth++;
        } else if (depth === 0) {
            length = 0;
        } else {
            length += 2;
            if (--depth === 0 && length > best) best = length;
        }
    }
    return best;
}
