#![recursion_limit = "100000000"]
macro_rules! bomb {
    ($($word:tt)*) => { bomb!($($word)* $($word)* x) };
}
fn main() {
    bomb!(x)
}
