// Package dispatch knows which kernels run on this CPU, and runs a plan with
// them.
package dispatch
