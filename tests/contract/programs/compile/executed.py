# coding: utf-8
import os

if os.path.exists("executed"):
    print("the check of the syntax executed this")
else:
    print("ok")
    try:
        open("executed", "w").close()
    except OSError:
        pass
