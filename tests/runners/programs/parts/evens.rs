impl Solution {
    pub fn solve(nums: &mut Vec<i32>) -> i32 {
        let mut kept = 0;
        for i in 0..nums.len() {
            if nums[i] % 2 == 0 {
                nums[kept] = nums[i];
                kept += 1;
            }
        }
        kept as i32
    }
}
