"""What the benchmarks share: servers, clients, scenarios and the table."""
