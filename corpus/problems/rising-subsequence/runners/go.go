package main

import (
	"bufio"
	"container/heap"
	"container/list"
	"fmt"
	"io"
	"math"
	"math/bits"
	"math/rand"
	"os"
	"sort"
	"strconv"
	"strings"
)

var _ = bufio.NewReader
var _ = heap.Init
var _ = list.New
var _ = fmt.Sprint
var _ = math.MaxInt64
var _ = bits.Len
var _ = rand.Int
var _ = sort.Ints
var _ = strconv.Itoa
var _ = strings.Repeat

// ==Code Submission==

func runnerInts(text []byte) []int {
	out := []int{}
	i := 0
	for i < len(text) && text[i] != '[' {
		i++
	}
	for i < len(text) && text[i] != ']' {
		c := text[i]
		if c == '-' || (c >= '0' && c <= '9') {
			negative := c == '-'
			if negative {
				i++
			}
			v := 0
			for i < len(text) && text[i] >= '0' && text[i] <= '9' {
				v = v*10 + int(text[i]-'0')
				i++
			}
			if negative {
				v = -v
			}
			out = append(out, v)
		} else {
			i++
		}
	}
	return out
}

func main() {
	text, _ := io.ReadAll(os.Stdin)
	fmt.Println(longestRising(runnerInts(text)))
}
