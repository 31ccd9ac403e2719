// Throw away the points inside a quadrilateral of extreme points before sorting.
package main

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"sort"
	"strconv"
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

func order(points []point) {
	sort.Slice(points, func(i, j int) bool {
		if points[i].x != points[j].x {
			return points[i].x < points[j].x
		}
		return points[i].y < points[j].y
	})
}

func perimeter(points []point) float64 {
	w, e, s, n := points[0], points[0], points[0], points[0]
	for _, p := range points {
		if p.x+p.y < w.x+w.y {
			w = p
		}
		if p.x+p.y > e.x+e.y {
			e = p
		}
		if p.x-p.y > s.x-s.y {
			s = p
		}
		if p.x-p.y < n.x-n.y {
			n = p
		}
	}
	var kept []point
	for _, p := range points {
		if cross(w, s, p) <= 0 || cross(s, e, p) <= 0 || cross(e, n, p) <= 0 || cross(n, w, p) <= 0 {
			kept = append(kept, p)
		}
	}
	order(kept)
	var back []point
	for i := len(kept) - 1; i >= 0; i-- {
		back = append(back, kept[i])
	}
	return length(chain(kept)) + length(chain(back))
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Split(bufio.ScanWords)
	next := func() int64 {
		in.Scan()
		value, _ := strconv.ParseInt(in.Text(), 10, 64)
		return value
	}
	points := make([]point, next())
	for i := range points {
		points[i] = point{next(), next()}
	}
	fmt.Printf("%.9f\n", perimeter(points))
}
