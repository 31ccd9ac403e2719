char data[20 << 20] = {1};  // an initialized array is written out
int main() { return data[1]; }
