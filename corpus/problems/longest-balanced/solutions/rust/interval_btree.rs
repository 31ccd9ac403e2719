// Ordered map from the end of each balanced block to its start.
impl Solution {
    pub fn longest_balanced(s: String) -> i32 {
        let mut blocks: BTreeMap<i32, i32> = BTreeMap::new();
        let mut open: Vec<i32> = Vec::new();
        let mut best = 0;
        for (j, c) in s.bytes().enumerate() {
            let j = j as i32;
            if c == b'(' {
                open.push(j);
            } else if let Some(i) = open.pop() {
                blocks.remove(&(j - 1));
                let start = blocks.remove(&(i - 1)).unwrap_or(i);
                blocks.insert(j, start);
                best = best.max(j - start + 1);
            }
        }
        best
    }
}
