"""Make the embedded model without building the package."""

from . import make_model

make_model()
