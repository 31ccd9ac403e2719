fn main() { let x = @DEEP@; }
