// Linear sieve with a smallest factor table; the primes are searched.
package main

import (
	"bufio"
	"fmt"
	"os"
	"sort"
)

func main() {
	const n = 2000000
	low := make([]int, n+1)
	primes := []int{}
	for i := 2; i <= n; i++ {
		if low[i] == 0 {
			low[i] = i
			primes = append(primes, i)
		}
		for _, p := range primes {
			if p > low[i] || p*i > n {
				break
			}
			low[p*i] = p
		}
	}
	in := bufio.NewReaderSize(os.Stdin, 1<<16)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	var q int
	fmt.Fscanln(in, &q)
	for i := 0; i < q; i++ {
		var l, r int
		fmt.Fscanln(in, &l, &r)
		fmt.Fprintln(out, sort.SearchInts(primes, r+1)-sort.SearchInts(primes, l))
	}
}
