// Unstable sort in place, then two pointers over runs of equal values.
impl Solution {
    pub fn count_pairs(mut nums: Vec<i32>, target: i64) -> i64 {
        nums.sort_unstable();
        let (mut i, mut j) = (0, nums.len() - 1);
        let mut result = 0i64;
        while i < j {
            let total = nums[i] as i64 + nums[j] as i64;
            if total < target {
                i += 1;
            } else if total > target {
                j -= 1;
            } else if nums[i] == nums[j] {
                let k = (j - i + 1) as i64;
                return result + k * (k - 1) / 2;
            } else {
                let (mut left, mut right) = (1, 1);
                while nums[i + left] == nums[i] {
                    left += 1;
                }
                while nums[j - right] == nums[j] {
                    right += 1;
                }
                result += (left * right) as i64;
                i += left;
                j -= right;
            }
        }
        result
    }
}
