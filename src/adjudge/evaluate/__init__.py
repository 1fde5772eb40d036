"""What every task shares between reading and counting: which documents are compared, and what looks wrong with them."""
