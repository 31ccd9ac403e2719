// The tails live in a BTreeSet; each number takes the place of its successor.
impl Solution {
    pub fn longest_rising(nums: Vec<i32>) -> i32 {
        let mut tails = BTreeSet::new();
        for x in nums {
            let next = tails.range(x..).next().copied();
            if let Some(t) = next {
                tails.remove(&t);
            }
            tails.insert(x);
        }
        tails.len() as i32
    }
}
