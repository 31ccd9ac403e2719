// Linear sieve of totients.
impl Solution {
    pub fn totient_sum(n: i32) -> i64 {
        let n = n as usize;
        let mut phi = vec![0u32; n + 1];
        let mut primes: Vec<usize> = Vec::new();
        let mut total = 1i64;
        for i in 2..=n {
            if phi[i] == 0 {
                phi[i] = i as u32 - 1;
                primes.push(i);
            }
            let f = phi[i];
            total += f as i64;
            for &p in &primes {
                if p * i > n {
                    break;
                }
                if i % p == 0 {
                    phi[p * i] = f * p as u32;
                    break;
                }
                phi[p * i] = f * (p as u32 - 1);
            }
        }
        total
    }
}
