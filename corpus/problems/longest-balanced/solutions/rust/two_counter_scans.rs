// Counters only; the same scan over the bytes and over the reversed bytes.
impl Solution {
    pub fn longest_balanced(s: String) -> i32 {
        fn scan(bytes: impl Iterator<Item = u8>, opening: u8) -> i32 {
            let (mut depth, mut length, mut best) = (0, 0, 0);
            for b in bytes {
                if b == opening {
                    depth += 1;
                } else if depth == 0 {
                    length = 0;
                } else {
                    depth -= 1;
                    length += 2;
                    if depth == 0 && length > best {
                        best = length;
                    }
                }
            }
            best
        }
        scan(s.bytes(), b'(').max(scan(s.bytes().rev(), b')'))
    }
}
