constexpr unsigned long spin(unsigned long n) { for (unsigned long i = 0; i < 200000; i++) n += i; return n; }
template <int n> constexpr unsigned long many = spin(n) + many<n - 1>;
template <> constexpr unsigned long many<0> = 0;
static_assert(many<800> > 0);
int main() {}
