package main

import (
	"bufio"
	"bytes"
	"container/heap"
	"container/list"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"os"
	"sort"
	"strconv"
	"strings"
)

var _ = bytes.Equal
var _ = heap.Init
var _ = list.New
var _ = math.MaxInt32
var _ = bits.Len
var _ = sort.Ints
var _ = strconv.Itoa
var _ = strings.Index

// ==Code Submission==

func main() {
	input := bufio.NewReaderSize(os.Stdin, 1<<20)
	line, _ := input.ReadBytes('\n')
	var text string
	if err := json.Unmarshal(line, &text); err != nil {
		panic(err)
	}
	fmt.Println(longestBalanced(text))
}
