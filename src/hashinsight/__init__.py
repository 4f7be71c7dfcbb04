"""HashInsight: control plane and problem registry for fleets of Bitcoin ASIC miners."""

__version__ = "0.1.0"
