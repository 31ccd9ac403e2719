"""The specification of a problem's inputs, and what is done with one.

Where values stand (`layout`), what is promised of them (`promises`), both with their JSON form
(`specification`); whether an input keeps it (`validate`), and inputs drawn from it (`draw`). This
package needs the standard library alone and imports only itself, relatively: it is published as
one file, ``venus_inputs.pyz``, beside the specifications that it runs.
"""
