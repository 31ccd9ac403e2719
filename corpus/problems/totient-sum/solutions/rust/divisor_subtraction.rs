// k is the sum of the totients of its divisors: every finished totient is subtracted from
// the larger multiples of its index.
impl Solution {
    pub fn totient_sum(n: i32) -> i64 {
        let n = n as usize;
        let mut phi: Vec<i64> = (0..=n as i64).collect();
        for d in 1..=n {
            let f = phi[d];
            for m in (2 * d..=n).step_by(d) {
                phi[m] -= f;
            }
        }
        phi.iter().sum()
    }
}
