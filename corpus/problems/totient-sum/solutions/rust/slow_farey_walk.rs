// Steps through the Farey sequence of order n and counts its fractions.
impl Solution {
    pub fn totient_sum(n: i32) -> i64 {
        let n = n as i64;
        let (mut a, mut b, mut c, mut d) = (0i64, 1i64, 1i64, n);
        let mut steps = 0;
        while c <= d {
            let k = (n + b) / d;
            let next = (c, d, k * c - a, k * d - b);
            a = next.0;
            b = next.1;
            c = next.2;
            d = next.3;
            steps += 1;
        }
        steps
    }
}
