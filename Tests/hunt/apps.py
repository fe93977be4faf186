"""Storyboards and catalogs that a service may be started with in turn, on the same store."""

import copy
import json
import plistlib
from pathlib import Path

RESOURCES = Path(__file__).parents[2] / "Sources/Tools/AppLoading/Resources"


def storyboards():
    """
    The Library; with other titles; without segments and a scene, so that no stored stack of the app
    root can be kept; and a fourth, which has what the third has, with other titles and more scenes.
    """
    library = json.loads((RESOURCES / "Library.json").read_text())
    renamed = copy.deepcopy(library)
    renamed["scenes"]["authors"] |= {"title": "Writers", "bottomBar": "{count} writers"}
    renamed["scenes"]["userAuth"]["title"] = "Sign In"
    smaller = copy.deepcopy(library)
    del smaller["segments"]
    del smaller["scenes"]["titles"], smaller["scenes"]["signUp"]
    # The segue and the button that lead to the scene.
    del smaller["scenes"]["userAuth"]["segues"], smaller["scenes"]["userAuth"]["buttons"]
    other = copy.deepcopy(smaller)
    other["scenes"]["authors"]["title"] = "All Authors"
    other["scenes"]["extra"] = {"kind": "blank", "title": "Extra"}
    other["scenes"]["register"] = {"kind": "form", "title": "Register", "access": "login"}
    return [library, renamed, smaller, other]


def catalogs():
    """The Library's catalog, and one that lacks the first author and a book of the next one."""
    catalog = plistlib.loads((RESOURCES / "Books.plist").read_bytes())
    shorter = copy.deepcopy(catalog[1:])
    del shorter[0]["Books"][0]
    return [catalog, shorter]


class Apps:
    """Writes the files into a folder, and gives the options that name them."""

    def __init__(self, folder):
        self.folder = Path(folder)
        for number, storyboard in enumerate(storyboards()):
            (self.folder / f"storyboard-{number}.json").write_text(json.dumps(storyboard))
        for number, catalog in enumerate(catalogs()):
            (self.folder / f"catalog-{number}.plist").write_bytes(plistlib.dumps(catalog))

    def options(self, storyboard, catalog):
        return ["--storyboard", str(self.folder / f"storyboard-{storyboard}.json"),
                "--catalog", str(self.folder / f"catalog-{catalog}.plist"),
                "--covers", str(RESOURCES / "Covers")]
