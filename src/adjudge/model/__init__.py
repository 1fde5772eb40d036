"""The data that are compared: frozen structs without logic, input or output."""
