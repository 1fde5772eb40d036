"""What is compared: frozen structs, no logic, no input or output."""
