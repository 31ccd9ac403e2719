// A hash map from every prime to its rank; a query walks to the next prime
// below its end points.
package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	const n = 2000000
	rank := make(map[int]int)
	comp := make([]bool, n+1)
	for v := 2; v <= n; v++ {
		if comp[v] {
			continue
		}
		rank[v] = len(rank) + 1
		for m := v * v; m <= n; m += v {
			comp[m] = true
		}
	}
	pi := func(x int) int {
		for ; x > 1; x-- {
			if k, ok := rank[x]; ok {
				return k
			}
		}
		return 0
	}
	in := bufio.NewReader(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	var q, l, r int
	fmt.Fscan(in, &q)
	for ; q > 0; q-- {
		fmt.Fscan(in, &l, &r)
		fmt.Fprintln(out, pi(r)-pi(l-1))
	}
}
