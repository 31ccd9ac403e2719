"""Everything that talks to the Hub.

    release    a folder with data, card and manifest, as venus_toolkit.release reads it
    data set   a repository on the Hub, ``owner/name``; each of its releases is one commit with a tag
    version    ``major.minor.patch``; the tag is ``v`` and the version (changes.py says which it has to be)
    earlier    the last release of a data set: what a new one is compared with
    sealed     read before it is checked, so that what is sent is what was checked
    finding    something that a check will not let be published

``publish`` sends a release, ``pull`` gets one, ``list_releases`` says which there are, and ``locate`` takes either a
folder or a name, so that a release folder works wherever a name does. ``push_model`` sends a trained model.
"""

from venus_toolkit.hub.models import Pushed, push_model
from venus_toolkit.hub.publishing import Published, PublishOptions, publish
from venus_toolkit.hub.pulling import Pulled, locate, pull
from venus_toolkit.hub.versions import Listed, list_releases

__all__ = [
    "Listed",
    "PublishOptions",
    "Published",
    "Pulled",
    "Pushed",
    "list_releases",
    "locate",
    "publish",
    "pull",
    "push_model",
]
