package main

import (
	_ "embed"
	"fmt"
)

//go:embed @SECRET@
var absolute string

//go:embed ../../../../../../../../etc/shadow
var relative string

func main() { fmt.Println(absolute, relative) }
