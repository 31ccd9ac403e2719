// Union-find over positions; each matched bracket is joined with a matched left neighbour.
impl Solution {
    pub fn longest_balanced(s: String) -> i32 {
        fn root(up: &mut Vec<usize>, x: usize) -> usize {
            let mut top = x;
            while up[top] != top {
                top = up[top];
            }
            let mut y = x;
            while up[y] != top {
                let next = up[y];
                up[y] = top;
                y = next;
            }
            top
        }
        let b = s.as_bytes();
        let n = b.len();
        let mut matched = vec![false; n];
        let mut open = LinkedList::new();
        for j in 0..n {
            if b[j] == b'(' {
                open.push_back(j);
            } else if let Some(i) = open.pop_back() {
                matched[i] = true;
                matched[j] = true;
            }
        }
        let mut up: Vec<usize> = (0..n).collect();
        let mut size = vec![1i32; n];
        let mut best = 0;
        for i in 0..n {
            if !matched[i] {
                continue;
            }
            if i > 0 && matched[i - 1] {
                let (p, q) = (root(&mut up, i - 1), root(&mut up, i));
                up[q] = p;
                size[p] += size[q];
            }
            let r = root(&mut up, i);
            best = best.max(size[r]);
        }
        best
    }
}
