use std::io::Read;

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    // a xorshift state never becomes 0, and the compiler cannot know
    let mut x = text.len() as u64;
    while x != 0 {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    println!("{}", x);
}
