module github.com/lanecast/lanecast/bench/peers

go 1.26.0

require (
	github.com/lanecast/lanecast v0.0.0
	github.com/stretchr/testify v1.12.1
	github.com/viterin/vek v0.4.3
	gonum.org/v1/gonum v0.17.0
)

require (
	github.com/chewxy/math32 v1.10.1 // indirect
	github.com/viterin/partial v1.1.0 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/exp v0.0.0-20230817173708-d852ddb80c63 // indirect
	golang.org/x/sys v0.50.0 // indirect
)

replace github.com/lanecast/lanecast => ../..
