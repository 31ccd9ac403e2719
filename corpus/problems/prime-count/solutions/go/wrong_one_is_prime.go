// Prefix counts of a sieve.
package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	const n = 2000000
	comp := make([]bool, n+1)
	for i := 2; i*i <= n; i++ {
		if !comp[i] {
			for j := i * i; j <= n; j += i {
				comp[j] = true
			}
		}
	}
	pre := make([]int32, n+1)
	for i := 1; i <= n; i++ {
		pre[i] = pre[i-1]
		if !comp[i] {
			pre[i]++
		}
	}
	in := bufio.NewReader(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	var q, l, r int
	fmt.Fscan(in, &q)
	for ; q > 0; q-- {
		fmt.Fscan(in, &l, &r)
		fmt.Fprintln(out, pre[r]-pre[l-1])
	}
}
