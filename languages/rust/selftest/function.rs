impl Solution {
    pub fn add_to(values: Vec<i32>, amount: i32) -> Vec<i32> {
        values.into_iter().map(|value| value + amount).collect()
    }
}
