"""Everything that talks to the Hugging Face Hub.

    data set          a repository on the Hub, ``owner/name``; each of its releases is one commit with a tag
    version           ``major.minor.patch``; the tag is ``v`` and the version (changes.py chooses it)
    previous release  the newest release of a data set, with which a new one is compared
    snapshot          digests of a file, taken before it is checked, so that only checked bytes are sent
    staged release    the release with its new card and manifest, which is checked last and then sent
    finding           a fault that prevents publication

``publish`` sends a release, ``pull`` downloads one, and ``list_releases`` lists them. ``locate``
accepts a folder or a name, so that a release folder works wherever a name does. ``push_model`` sends
a trained model.
"""
