// Linear sieve in typed arrays: each composite is reached from its smallest prime.
var totientSum = function(n) {
    const phi = new Int32Array(n + 1);
    const primes = new Int32Array(n + 1);
    let count = 0, total = 1;
    phi[1] = 1;
    for (let i = 2; i <= n; i++) {
        if (phi[i] === 0) {
            phi[i] = i - 1;
            primes[count++] = i;
        }
        const f = phi[i];
        total += f;
        for (let j = 0; j < count; j++) {
            const p = primes[j], k = p * i;
            if (k > n) break;
            if (i % p === 0) {
                phi[k] = f * p;
                break;
            }
            phi[k] = f * (p - 1);
        }
    }
    return total;
};
