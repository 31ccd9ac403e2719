// Edges sorted by their first task; followers are found by binary search.
package main

import (
	"bufio"
	"fmt"
	"os"
	"sort"
	"strings"
)

type edge struct{ a, b int }

func main() {
	sc := bufio.NewScanner(os.Stdin)
	numbers := func() (int, int) {
		sc.Scan()
		a, b, second := 0, 0, false
		for _, c := range sc.Bytes() {
			if c == ' ' {
				second = true
			} else if second {
				b = b*10 + int(c-'0')
			} else {
				a = a*10 + int(c-'0')
			}
		}
		return a, b
	}
	n, m := numbers()
	edges := make([]edge, m)
	need := make([]int, n+1)
	for i := range edges {
		edges[i].a, edges[i].b = numbers()
		need[edges[i].b]++
	}
	sort.Slice(edges, func(i, j int) bool { return edges[i].a < edges[j].a })
	level := []int{}
	for v := n; v >= 1; v-- {
		if need[v] == 0 {
			level = append(level, v)
		}
	}
	var text strings.Builder
	count := 0
	for len(level) > 0 {
		var upcoming []int
		for _, v := range level {
			if count > 0 {
				text.WriteByte(' ')
			}
			fmt.Fprint(&text, v)
			count++
			for k := sort.Search(m, func(i int) bool { return edges[i].a >= v }); k < m && edges[k].a == v; k++ {
				w := edges[k].b
				need[w]--
				if need[w] == 0 {
					upcoming = append(upcoming, w)
				}
			}
		}
		level = upcoming
	}
	if count < n {
		fmt.Println("IMPOSSIBLE")
		return
	}
	fmt.Println(text.String())
}
