// Bool sieve over all numbers and pi(x) for every x.
package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	const n = 2000000
	comp := make([]bool, n+1)
	pi := make([]int, n+1)
	for i := 2; i <= n; i++ {
		pi[i] = pi[i-1]
		if comp[i] {
			continue
		}
		pi[i]++
		for j := i * i; j <= n; j += i {
			comp[j] = true
		}
	}
	in := bufio.NewReader(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	var q, l, r int
	fmt.Fscan(in, &q)
	for ; q > 0; q-- {
		fmt.Fscan(in, &l, &r)
		fmt.Fprintln(out, pi[r]-pi[l-1])
	}
}
