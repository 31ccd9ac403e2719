// Stack of indices, the base below them.
impl Solution {
    pub fn longest_balanced(s: String) -> i32 {
        let mut stack: Vec<i32> = vec![-1];
        let mut best = 0;
        for (i, c) in s.chars().enumerate() {
            let i = i as i32;
            if c == '(' {
                stack.push(i);
                continue;
            }
            stack.pop();
            match stack.last() {
                Some(&base) => best = best.max(i - base),
                None => stack.push(i),
            }
        }
        best
    }
}
