// Moebius inversion: coprime ordered pairs are the sum of mu(d) * (n / d)^2.
impl Solution {
    pub fn totient_sum(n: i32) -> i64 {
        let size = n as usize;
        let mut mu = vec![0i32; size + 1];
        mu[1] = 1;
        for d in 1..=size {
            for m in (2 * d..=size).step_by(d) {
                mu[m] -= mu[d];
            }
        }
        let mut pairs = 0i32;
        for d in 1..=n {
            let q = n / d;
            pairs = pairs.wrapping_add(q.wrapping_mul(q).wrapping_mul(mu[d as usize]));
        }
        (pairs as i64 + 1) / 2
    }
}
