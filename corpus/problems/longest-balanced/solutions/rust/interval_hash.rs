// Hash map from the end of every matched pair to the start of its block.
impl Solution {
    pub fn longest_balanced(s: String) -> i32 {
        let mut start_of: HashMap<usize, usize> = HashMap::new();
        let mut open: Vec<usize> = Vec::new();
        for (j, c) in s.bytes().enumerate() {
            if c == b'(' {
                open.push(j + 1);
            } else if let Some(i) = open.pop() {
                let start = *start_of.get(&(i - 1)).unwrap_or(&i);
                start_of.insert(j + 1, start);
            }
        }
        start_of.iter().map(|(end, start)| end + 1 - start).max().unwrap_or(0) as i32
    }
}
