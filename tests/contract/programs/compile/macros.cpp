#define A "0123456789abcdef0123456789abcdef" "0123456789abcdef0123456789abcdef"
#define B A A A A A A A A A A A A A A A A
#define C B B B B B B B B B B B B B B B B
#define D C C C C C C C C C C C C C C C C
#define E D D D D D D D D D D D D D D D D
#define F E E E E E E E E E E E E E E E E
const char *text = F F F F;
int main() { return text[0]; }
