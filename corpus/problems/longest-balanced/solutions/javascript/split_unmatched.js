// Replaces brackets without partner by blanks, then measures the pieces.
var longestBalanced = function(s) {
    const chars = s.split('');
    const open = [];
    chars.forEach((ch, i) => {
        if (ch === '(') open.push(i);
        else if (open.length) open.pop();
        else chars[i] = ' ';
    });
    for (const i of open) chars[i] = ' ';
    return chars.join('').split(' ').reduce((best, piece) => Math.max(best, piece.length), 0);
};
