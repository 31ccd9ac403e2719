// Euclid's algorithm for every pair j <= k.
var totientSum = function(n) {
    const gcd = (a, b) => {
        while (b) [a, b] = [b, a % b];
        return a;
    };
    let total = 0;
    for (let k = 1; k <= n; k++) {
        for (let j = 1; j <= k; j++) {
            if (gcd(k, j) === 1) total++;
        }
    }
    return total;
};
