// Linear sieve with an integer running total.
var totientSum = function(n) {
    const phi = new Int32Array(n + 1);
    const primes = [];
    let total = 1;
    for (let i = 2; i <= n; i++) {
        if (phi[i] === 0) {
            phi[i] = i - 1;
            primes.push(i);
        }
        total = (total + phi[i]) | 0;
        for (const p of primes) {
            if (p * i > n) break;
            if (i % p === 0) {
                phi[p * i] = phi[i] * p;
                break;
            }
            phi[p * i] = phi[i] * (p - 1);
        }
    }
    return total;
};
