// Sorts (height, position) pairs and chains neighbours of equal height that leave upwards.
impl Solution {
    pub fn longest_balanced(s: String) -> i32 {
        let b = s.as_bytes();
        let mut points: Vec<(i32, usize)> = vec![(0, 0)];
        let mut height = 0;
        for (i, &c) in b.iter().enumerate() {
            height += if c == b'(' { 1 } else { -1 };
            points.push((height, i + 1));
        }
        points.sort();
        let mut best = 0;
        let mut start = points[0].1;
        for pair in points.windows(2) {
            let (h, p) = pair[0];
            let (g, q) = pair[1];
            if h == g && b[p] == b'(' {
                best = best.max(q - start);
            } else {
                start = q;
            }
        }
        best as i32
    }
}
