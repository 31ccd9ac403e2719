// A binary trie over the 31 bits of the shifted value; each node remembers the best
// length below it, so the maximum over all smaller values is read along one path.
var longestRising = function(nums) {
    const makeNode = () => ({ best: 0, zero: null, one: null });
    const root = makeNode();
    for (const x of nums) {
        const key = x + 1000000000;
        let node = root;
        let best = 0;
        for (let b = 30; b >= 0 && node !== null; b--) {
            if ((key >> b) & 1) {
                if (node.zero !== null && node.zero.best > best) best = node.zero.best;
                node = node.one;
            } else {
                node = node.zero;
            }
        }
        best++;
        node = root;
        if (node.best < best) node.best = best;
        for (let b = 30; b >= 0; b--) {
            if ((key >> b) & 1) node = node.one || (node.one = makeNode());
            else node = node.zero || (node.zero = makeNode());
            if (node.best < best) node.best = best;
        }
    }
    return root.best;
};
