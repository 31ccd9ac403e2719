const char text[] = "@HUGE@";
int main() { return text[sizeof text / 2] == 'x'; }
