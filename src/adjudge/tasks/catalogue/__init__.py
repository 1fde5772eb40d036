"""The families of the catalogue: which metrics stand together, which files are read, which published scorers are kept.

A family is one module with a `FAMILY`. Its definitions are in `adjudge.metrics`, its readers in `adjudge.formats`; what
a published scorer computes besides stands here, one module for each of its kind.
"""
