"""The one way from two sides to a result, for every task: name, read, choose, pair, count, add up."""
