// Collects the distinct primes of every number in its own vector.
impl Solution {
    pub fn totient_sum(n: i32) -> i64 {
        let n = n as usize;
        let mut divisors: Vec<Vec<usize>> = vec![Vec::new(); n + 1];
        for p in 2..=n {
            if divisors[p].is_empty() {
                for k in (p..=n).step_by(p) {
                    divisors[k].push(p);
                }
            }
        }
        (1..=n)
            .map(|k| divisors[k].iter().fold(k, |phi, &p| phi / p * (p - 1)) as i64)
            .sum()
    }
}
