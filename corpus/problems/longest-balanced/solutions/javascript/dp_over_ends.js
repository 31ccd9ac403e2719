// ends[i + 1]: longest balanced substring whose last character is s[i].
var longestBalanced = function(s) {
    const ends = new Int32Array(s.length + 1);
    let best = 0;
    for (let i = 1; i < s.length; i++) {
        if (s.charCodeAt(i) === 40) continue;
        const j = i - ends[i] - 1;
        if (j >= 0 && s.charCodeAt(j) === 40) {
            const total = ends[i] + 2 + ends[j];
            ends[i + 1] = total;
            if (total > best) best = total;
        }
    }
    return best;
};
