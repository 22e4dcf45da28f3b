module github.com/lanecast/lanecast

go 1.26.0

require (
	github.com/klauspost/cpuid/v2 v2.4.2
	github.com/mmcloughlin/avo v0.5.0
	github.com/stretchr/testify v1.12.1
)

require (
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
)
