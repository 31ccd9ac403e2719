// Bottom-up merge sort on indices, word scanner for input.
package main

import (
	"bufio"
	"os"
	"strconv"
)

func sortOrder(scores []int) []int {
	n := len(scores)
	from, to := make([]int, n), make([]int, n)
	for i := range from {
		from[i] = i
	}
	for width := 1; width < n; width *= 2 {
		for lo := 0; lo < n; lo += 2 * width {
			mid, hi := lo+width, lo+2*width
			if mid > n {
				mid = n
			}
			if hi > n {
				hi = n
			}
			i, j := lo, mid
			for k := lo; k < hi; k++ {
				if j >= hi || i < mid && scores[from[i]] >= scores[from[j]] {
					to[k] = from[i]
					i++
				} else {
					to[k] = from[j]
					j++
				}
			}
		}
		from, to = to, from
	}
	return from
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Split(bufio.ScanWords)
	in.Scan()
	n, _ := strconv.Atoi(in.Text())
	names := make([]string, n)
	scores := make([]int, n)
	for i := 0; i < n; i++ {
		in.Scan()
		names[i] = in.Text()
		in.Scan()
		scores[i], _ = strconv.Atoi(in.Text())
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for place, i := range sortOrder(scores) {
		out.WriteString(strconv.Itoa(place + 1))
		out.WriteByte(' ')
		out.WriteString(names[i])
		out.WriteByte(' ')
		out.WriteString(strconv.Itoa(scores[i]))
		out.WriteByte('\n')
	}
}
