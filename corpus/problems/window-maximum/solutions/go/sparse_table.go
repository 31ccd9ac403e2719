// Sparse table with every level kept.
package main

import (
	"bufio"
	"math/bits"
	"os"
	"strconv"
	"strings"
)

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<16)
	line, _ := in.ReadString('\n')
	head := strings.Fields(line)
	n, _ := strconv.Atoi(head[0])
	k, _ := strconv.Atoi(head[1])
	line, _ = in.ReadString('\n')
	table := [][]int{make([]int, n)}
	for i, f := range strings.Fields(line) {
		table[0][i], _ = strconv.Atoi(f)
	}
	for w := 1; 2*w <= n; w *= 2 {
		prev := table[len(table)-1]
		row := make([]int, n-2*w+1)
		for i := range row {
			row[i] = prev[i]
			if prev[i+w] > row[i] {
				row[i] = prev[i+w]
			}
		}
		table = append(table, row)
	}
	level := bits.Len(uint(k)) - 1
	row := table[level]
	words := make([]string, n-k+1)
	for i := range words {
		best := row[i]
		if other := row[i+k-(1<<uint(level))]; other > best {
			best = other
		}
		words[i] = strconv.Itoa(best)
	}
	os.Stdout.WriteString(strings.Join(words, " ") + "\n")
}
