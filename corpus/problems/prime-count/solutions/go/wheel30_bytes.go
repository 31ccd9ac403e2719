// One byte for the eight candidates among 30 consecutive numbers.
package main

import (
	"bufio"
	"fmt"
	"math/bits"
	"os"
)

const blocks = 2000000/30 + 2

var residues = [8]int{1, 7, 11, 13, 17, 19, 23, 29}
var comp [blocks]byte
var before [blocks + 1]int32
var below [30]byte

func pi(x int) int {
	if x < 7 {
		return [7]int{0, 0, 1, 2, 2, 3, 3}[x]
	}
	b := x / 30
	return 3 + int(before[b]) + bits.OnesCount8(^comp[b]&below[x%30])
}

func main() {
	for m := range below {
		for i, r := range residues {
			if r <= m {
				below[m] |= 1 << uint(i)
			}
		}
	}
	comp[0] = 1
	for b := 0; b < 48; b++ {
		for i, r := range residues {
			if comp[b]>>uint(i)&1 == 1 {
				continue
			}
			p := 30*b + r
			for j, s := range residues {
				c := 30*b + s
				if j < i {
					c += 30
				}
				m := p * c
				slot := 0
				for residues[slot] != m%30 {
					slot++
				}
				bit := byte(1) << uint(slot)
				for k := m / 30; k < blocks; k += p {
					comp[k] |= bit
				}
			}
		}
	}
	for b, v := range comp {
		before[b+1] = before[b] + 8 - int32(bits.OnesCount8(v))
	}
	in := bufio.NewReader(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	var q, l, r int
	fmt.Fscan(in, &q)
	for i := 0; i < q; i++ {
		fmt.Fscan(in, &l, &r)
		fmt.Fprintln(out, pi(r)-pi(l-1))
	}
}
