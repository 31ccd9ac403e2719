char data[20 << 20] = {1};  // an initialized array is part of the executable
int main() { return data[1]; }
