// Builds every number up to n from its primes in increasing order, carrying its totient.
var totientSum = function(n) {
    const composite = new Uint8Array(n + 1);
    const primes = [];
    for (let p = 2; p <= n; p++) {
        if (composite[p]) continue;
        primes.push(p);
        for (let k = p * p; k <= n; k += p) composite[k] = 1;
    }
    let total = 1;
    const walk = (from, value, phi) => {
        for (let i = from; i < primes.length && value * primes[i] <= n; i++) {
            const p = primes[i];
            let v = value * p, f = phi * (p - 1);
            while (v <= n) {
                total += f;
                walk(i + 1, v, f);
                v *= p;
                f *= p;
            }
        }
    };
    walk(0, 1, 1);
    return total;
};
