// Stable sort of widened values, then two partition points per element.
impl Solution {
    pub fn count_pairs(nums: Vec<i32>, target: i64) -> i64 {
        let mut sorted: Vec<i64> = nums.iter().map(|&x| x as i64).collect();
        sorted.sort();
        let mut result = 0;
        for (i, x) in sorted.iter().enumerate() {
            let rest = &sorted[i + 1..];
            let want = target - x;
            let low = rest.partition_point(|&y| y < want);
            let high = rest.partition_point(|&y| y <= want);
            result += (high - low) as i64;
        }
        result
    }
}
