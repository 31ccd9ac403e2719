// Plain array sieve: phi[k] starts as k and loses a p-th part for each prime p.
var totientSum = function(n) {
    const phi = Array.from({ length: n + 1 }, (_, k) => k);
    for (let p = 2; p <= n; p++) {
        if (phi[p] !== p) continue;
        for (let k = p; k <= n; k += p) phi[k] -= phi[k] / p;
    }
    return phi.reduce((a, b) => a + b, 0);
};
