// Sorts positions by the height of their prefix; runs that always leave upwards are balanced.
var longestBalanced = function(s) {
    const n = s.length;
    const height = [0];
    const order = [0];
    for (let i = 0; i < n; i++) {
        height.push(height[i] + (s[i] === '(' ? 1 : -1));
        order.push(i + 1);
    }
    order.sort((a, b) => height[a] - height[b] || a - b);
    let best = 0, start = order[0];
    for (let k = 1; k <= n; k++) {
        const before = order[k - 1], now = order[k];
        if (height[before] === height[now] && s[before] === '(') best = Math.max(best, now - start);
        else start = now;
    }
    return best;
};
