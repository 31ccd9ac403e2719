// F(m) = m(m+1)/2 - sum of F(m / d) for d >= 2, equal quotients together, memo in a HashMap.
fn total(m: i64, known: &mut HashMap<i64, i64>) -> i64 {
    if m < 2 {
        return m;
    }
    if let Some(&v) = known.get(&m) {
        return v;
    }
    let mut result = m * (m + 1) / 2;
    let mut d = 2;
    while d <= m {
        let q = m / d;
        let last = m / q;
        result -= (last - d + 1) * total(q, known);
        d = last + 1;
    }
    known.insert(m, result);
    result
}

impl Solution {
    pub fn totient_sum(n: i32) -> i64 {
        total(n as i64, &mut HashMap::new())
    }
}
