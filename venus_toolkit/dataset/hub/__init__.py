"""Everything that talks to the Hugging Face Hub.

    data set          a repository on the Hub, ``owner/name``; each of its releases is one commit with a tag
    version           ``major.minor.patch``; the tag is ``v`` and the version (changes.py says which it has to be)
    previous release  the newest release of a data set: what a new one is compared with
    snapshot          digests of a file, taken before it is checked, so that what is sent is what was checked
    staged release    the release with its new card and manifest: what is checked last, and then sent
    finding           something that a check will not let be published

``publish`` sends a release, ``pull`` gets one, ``list_releases`` says which there are, and
``locate`` takes either a folder or a name, so that a release folder works wherever a name does.
``push_model`` sends a trained model.
"""
