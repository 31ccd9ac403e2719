char data[1L << 30] = {1};  // one byte of source for each of a gigabyte of program
int main() { return data[1]; }
