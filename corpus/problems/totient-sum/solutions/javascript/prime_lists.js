// Collects the list of distinct primes of every number, then multiplies out each totient.
var totientSum = function(n) {
    const divisors = new Array(n + 1);
    for (let k = 0; k <= n; k++) divisors[k] = [];
    for (let p = 2; p <= n; p++) {
        if (divisors[p].length > 0) continue;
        for (let k = p; k <= n; k += p) divisors[k].push(p);
    }
    let total = 0;
    for (let k = 1; k <= n; k++) {
        let phi = k;
        for (const p of divisors[k]) phi = phi / p * (p - 1);
        total += phi;
    }
    return total;
};
