"""The verbs that an agent may use. Each takes an opened Store and plain values, and gives a record."""
