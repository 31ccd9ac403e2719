// A linked segment tree built over the sorted distinct values, queried recursively.
class Segment {
    constructor(values, lo, hi) {
        this.low = values[lo];
        this.high = values[hi - 1];
        this.best = 0;
        this.left = null;
        this.right = null;
        if (hi - lo > 1) {
            const mid = (lo + hi) >> 1;
            this.left = new Segment(values, lo, mid);
            this.right = new Segment(values, mid, hi);
        }
    }

    below(x) {
        if (this.high < x) return this.best;
        if (this.low >= x || this.best === 0) return 0;
        return Math.max(this.left.below(x), this.right.below(x));
    }

    put(x, length) {
        if (length > this.best) this.best = length;
        if (this.left === null) return;
        if (x <= this.left.high) this.left.put(x, length);
        else this.right.put(x, length);
    }
}

var longestRising = function(nums) {
    const values = Array.from(new Set(nums)).sort((a, b) => a - b);
    const root = new Segment(values, 0, values.length);
    for (const x of nums) root.put(x, root.below(x) + 1);
    return root.best;
};
