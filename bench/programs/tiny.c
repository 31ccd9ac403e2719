/* Reads numbers and prints their sum: about the least that a solution does. */
#include <stdio.h>

int main(void)
{
    long long n, sum = 0;
    while (scanf("%lld", &n) == 1)
        sum += n;
    printf("%lld\n", sum);
    return 0;
}
