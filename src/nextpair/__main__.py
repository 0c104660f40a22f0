"""`python -m nextpair`: the command line where no script is on the path."""

from nextpair.cli.main import main

if __name__ == "__main__":
    main()
