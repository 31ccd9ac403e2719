static DATA: [u8; 20 << 20] = [1; 20 << 20];
fn main() {
    let at = std::env::args().count();
    println!("{}", unsafe { std::ptr::read_volatile(&DATA[at]) }); // the index is unknown to the compiler, so the whole array is part of the executable
}
