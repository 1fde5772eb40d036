"""The one way from two sides to a result: name, read, choose, pair, count, add up. Every task goes through it."""
