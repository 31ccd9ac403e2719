// An error message that grows with every level.
template <class A, class B> struct Pair {};
template <int n> struct Deep { using Type = Pair<typename Deep<n - 1>::Type, typename Deep<n - 1>::Type>; };
template <> struct Deep<0> { using Type = int; };
int main() { return Deep<24>::Type::missing + Deep<24>::Type::absent; }
