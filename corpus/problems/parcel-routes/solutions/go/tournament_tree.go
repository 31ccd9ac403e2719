// Dijkstra with a tournament tree: a leaf per node holds its tentative distance, inner cells the smaller child.
package main

import (
	"bufio"
	"os"
	"strconv"
	"strings"
)

const infinity = int64(1) << 60

func main() {
	scanner := bufio.NewScanner(os.Stdin)
	scanner.Split(bufio.ScanWords)
	number := func() int {
		scanner.Scan()
		x, _ := strconv.Atoi(scanner.Text())
		return x
	}
	n := number()
	m := number()
	type road struct{ to, length int }
	roads := make([][]road, n)
	for i := 0; i < m; i++ {
		a := number() - 1
		b := number() - 1
		roads[a] = append(roads[a], road{b, number()})
	}
	leaves := 1
	for leaves < n {
		leaves *= 2
	}
	tree := make([]int64, 2*leaves)
	for i := range tree {
		tree[i] = infinity
	}
	set := func(v int, d int64) {
		i := v + leaves
		tree[i] = d
		for i > 1 {
			i /= 2
			least := tree[2*i]
			if tree[2*i+1] < least {
				least = tree[2*i+1]
			}
			if tree[i] == least {
				break
			}
			tree[i] = least
		}
	}
	final := make([]int64, n)
	for v := range final {
		final[v] = -1
	}
	set(0, 0)
	for tree[1] < infinity {
		d := tree[1]
		i := 1
		for i < leaves {
			i *= 2
			if tree[i] != d {
				i++
			}
		}
		v := i - leaves
		final[v] = d
		set(v, infinity)
		for _, r := range roads[v] {
			t := d + int64(r.length)
			if final[r.to] < 0 && t < tree[r.to+leaves] {
				set(r.to, t)
			}
		}
	}
	words := make([]string, n)
	for v := range words {
		words[v] = strconv.FormatInt(final[v], 10)
	}
	os.Stdout.WriteString(strings.Join(words, " ") + "\n")
}
