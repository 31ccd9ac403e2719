// Prefix and suffix maxima in blocks of k.
package main

import (
	"bufio"
	"os"
	"strconv"
)

func main() {
	sc := bufio.NewScanner(os.Stdin)
	sc.Split(bufio.ScanWords)
	read := func() int {
		sc.Scan()
		x, _ := strconv.Atoi(sc.Text())
		return x
	}
	n, k := read(), read()
	pre := make([]int, n)
	suf := make([]int, n)
	for i := range pre {
		pre[i] = read()
		suf[i] = pre[i]
		if i%k != 0 && pre[i-1] > pre[i] {
			pre[i] = pre[i-1]
		}
	}
	for i := n - 2; i >= 0; i-- {
		if (i+1)%k != 0 && suf[i+1] > suf[i] {
			suf[i] = suf[i+1]
		}
	}
	w := bufio.NewWriter(os.Stdout)
	defer w.Flush()
	for i := 0; i+k <= n; i++ {
		best := suf[i]
		if pre[i+k-1] > best {
			best = pre[i+k-1]
		}
		w.WriteString(strconv.Itoa(best))
		w.WriteByte(' ')
	}
	w.WriteByte('\n')
}
