#![allow(long_running_const_eval)]
const N: u64 = {
    let mut n = 0u64;
    while n < u64::MAX {
        n += 1;
    }
    n
};
fn main() {
    println!("{N}");
}
