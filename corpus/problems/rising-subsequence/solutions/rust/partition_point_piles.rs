// Tails per length; partition_point finds the first tail that is not smaller.
impl Solution {
    pub fn longest_rising(nums: Vec<i32>) -> i32 {
        let mut tails: Vec<i32> = Vec::new();
        for x in nums {
            let at = tails.partition_point(|&t| t < x);
            if at == tails.len() {
                tails.push(x);
            } else {
                tails[at] = x;
            }
        }
        tails.len() as i32
    }
}
