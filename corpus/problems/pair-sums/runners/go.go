package main

import (
	"bufio"
	"bytes"
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
var _ = bytes.NewReader
var _ = heap.Init
var _ = list.New
var _ = fmt.Sprint
var _ = math.MaxInt64
var _ = bits.Len
var _ = rand.Intn
var _ = sort.Ints
var _ = strconv.Itoa
var _ = strings.Split

// ==Code Submission==

func main() {
	runnerText, _ := io.ReadAll(os.Stdin)
	at := 0
	number := func() int {
		negative := runnerText[at] == '-'
		if negative {
			at++
		}
		x := 0
		for at < len(runnerText) && runnerText[at] >= '0' && runnerText[at] <= '9' {
			x = x*10 + int(runnerText[at]-'0')
			at++
		}
		if negative {
			return -x
		}
		return x
	}
	skip := func() bool {
		for at < len(runnerText) {
			c := runnerText[at]
			if c == '-' || (c >= '0' && c <= '9') {
				return true
			}
			at++
			if c == ']' {
				return false
			}
		}
		return false
	}
	nums := []int{}
	for skip() {
		nums = append(nums, number())
	}
	skip()
	target := number()
	result := countPairs(nums, target)
	os.Stdout.WriteString(strconv.FormatInt(int64(result), 10) + "\n")
}
