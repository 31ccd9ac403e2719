// Every number is built from its primes in increasing order, carrying its totient.
fn walk(primes: &[i64], value: i64, phi: i64, n: i64) -> i64 {
    let mut total = phi;
    for (i, &p) in primes.iter().enumerate() {
        let mut v = value * p;
        if v > n {
            break;
        }
        let mut f = phi * (p - 1);
        while v <= n {
            total += walk(&primes[i + 1..], v, f, n);
            v *= p;
            f *= p;
        }
    }
    total
}

impl Solution {
    pub fn totient_sum(n: i32) -> i64 {
        let n = n as usize;
        let mut composite = vec![false; n + 1];
        let mut primes = Vec::new();
        for p in 2..=n {
            if !composite[p] {
                primes.push(p as i64);
                let mut k = p * p;
                while k <= n {
                    composite[k] = true;
                    k += p;
                }
            }
        }
        walk(&primes, 1, 1, n as i64)
    }
}
