"""The version of the package, which is that of the server it was tested with."""

__version__ = "0.1.0"
