// Each instantiation needs two more, which is more than a compiler can make.
template <int depth, int path> struct Tree { static const int size = Tree<depth - 1, 2 * path>::size + Tree<depth - 1, 2 * path + 1>::size; };
template <int path> struct Tree<0, path> { static const int size = 1; };
int main() { return Tree<29, 0>::size; }
