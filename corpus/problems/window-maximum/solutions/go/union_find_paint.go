// Sort positions by value, paint the window starts each one wins, skip painted ones by union-find.
package main

import (
	"bufio"
	"os"
	"sort"
	"strconv"
)

func main() {
	sc := bufio.NewScanner(os.Stdin)
	sc.Split(bufio.ScanWords)
	read := func() int {
		sc.Scan()
		x, _ := strconv.Atoi(string(sc.Bytes()))
		return x
	}
	n, k := read(), read()
	a := make([]int, n)
	order := make([]int, n)
	for i := range a {
		a[i] = read()
		order[i] = i
	}
	sort.Slice(order, func(x, y int) bool { return a[order[x]] > a[order[y]] })
	m := n - k + 1
	free := make([]int, m+1)
	for i := range free {
		free[i] = i
	}
	find := func(x int) int {
		for free[x] != x {
			free[x] = free[free[x]]
			x = free[x]
		}
		return x
	}
	res := make([]int, m)
	for _, i := range order {
		p := i - k + 1
		if p < 0 {
			p = 0
		}
		for p = find(p); p <= i && p < m; p = find(p) {
			res[p] = a[i]
			free[p] = p + 1
		}
	}
	var out []byte
	for _, x := range res {
		out = append(strconv.AppendInt(out, int64(x), 10), ' ')
	}
	os.Stdout.Write(append(out, '\n'))
}
