// Chain lengths per value in a BTreeMap, looked up for every earlier position.
impl Solution {
    pub fn longest_rising(nums: Vec<i32>) -> i32 {
        let mut ending: BTreeMap<i32, i32> = BTreeMap::new();
        let mut answer = 0;
        for i in 0..nums.len() {
            let mut best = 0;
            for j in 0..i {
                let length = ending[&nums[j]];
                if nums[j] < nums[i] {
                    best = best.max(length);
                }
            }
            let entry = ending.entry(nums[i]).or_insert(0);
            *entry = (*entry).max(best + 1);
            answer = answer.max(best + 1);
        }
        answer
    }
}
