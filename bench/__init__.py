"""What Bethink reaches, measured: quality on public benchmarks, speed, memory. Never imported by the package."""
