module waypost/benchmarks/peer

go 1.19
