// A map from x to the lowest and highest y; only those points enter the chains.
package main

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"sort"
)

type point struct{ x, y int64 }

func cross(a, b, c point) int64 {
	return (b.x-a.x)*(c.y-a.y) - (b.y-a.y)*(c.x-a.x)
}

func distance(a, b point) float64 {
	return math.Hypot(float64(a.x-b.x), float64(a.y-b.y))
}

func chain(points []point) []point {
	hull := []point{}
	for _, p := range points {
		for len(hull) > 1 && cross(hull[len(hull)-2], hull[len(hull)-1], p) <= 0 {
			hull = hull[:len(hull)-1]
		}
		hull = append(hull, p)
	}
	return hull
}

func length(hull []point) float64 {
	total := 0.0
	for i := 1; i < len(hull); i++ {
		total += distance(hull[i-1], hull[i])
	}
	return total
}

func perimeter(points []point) float64 {
	columns := map[int64][2]int64{}
	var xs []int
	for _, p := range points {
		c, ok := columns[p.x]
		if !ok {
			c = [2]int64{p.y, p.y}
			xs = append(xs, int(p.x))
		}
		if p.y < c[0] {
			c[0] = p.y
		}
		if p.y > c[1] {
			c[1] = p.y
		}
		columns[p.x] = c
	}
	sort.Ints(xs)
	var bottom, top []point
	for i := range xs {
		x := int64(xs[i])
		bottom = append(bottom, point{x, columns[x][0]})
		x = int64(xs[len(xs)-1-i])
		top = append(top, point{x, columns[x][1]})
	}
	round := append(chain(bottom), chain(top)...)
	return length(append(round, round[0]))
}

func main() {
	in := bufio.NewReader(os.Stdin)
	var n int
	fmt.Fscan(in, &n)
	points := make([]point, n)
	for i := range points {
		fmt.Fscan(in, &points[i].x, &points[i].y)
	}
	fmt.Printf("%.9f\n", perimeter(points))
}
