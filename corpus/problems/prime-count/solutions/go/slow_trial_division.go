// Tests every number of every query by trial division.
package main

import (
	"bufio"
	"fmt"
	"os"
)

func isPrime(v int) bool {
	if v < 2 {
		return false
	}
	for d := 2; d*d <= v; d++ {
		if v%d == 0 {
			return false
		}
	}
	return true
}

func main() {
	in := bufio.NewReader(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	var q int
	fmt.Fscan(in, &q)
	for ; q > 0; q-- {
		var l, r, c int
		fmt.Fscan(in, &l, &r)
		for v := l; v <= r; v++ {
			if isPrime(v) {
				c++
			}
		}
		fmt.Fprintln(out, c)
	}
}
