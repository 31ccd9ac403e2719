"""Tests from statements and signatures.

`statements` reads them, `generation` writes generators and validators.
"""
