// ends[i + 1]: longest balanced substring that ends with byte i.
impl Solution {
    pub fn longest_balanced(s: String) -> i32 {
        let b = s.as_bytes();
        let mut ends = vec![0usize; b.len() + 1];
        for i in 1..b.len() {
            let inner = ends[i];
            if b[i] == b')' && inner < i && b[i - inner - 1] == b'(' {
                ends[i + 1] = inner + 2 + ends[i - inner - 1];
            }
        }
        *ends.iter().max().unwrap() as i32
    }
}
