"""`python -m adjudge`: the same as `adjudge`."""

from adjudge.cli import main

if __name__ == "__main__":
    main()
