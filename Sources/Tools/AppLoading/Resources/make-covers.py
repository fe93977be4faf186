#!/usr/bin/python3
"""Draw the cover of every book in a Waypost catalog.

Needs Pillow (with Raqm) and the EB Garamond fonts, as Debian packages them:

    apt-get install python3-pil fonts-ebgaramond
    make-covers.py Books.plist Covers/

An author's place in the catalog picks the colours, and a cover's file name seeds
its ornament, so every run with the same Pillow and fonts writes the same bytes.
"""

import argparse
import itertools
import plistlib
import random
import sys
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont, ImageOps

WIDTH, HEIGHT = 600, 900
MAX_BYTES = 40_000  # exclusive
COLOURS = 32  # a palette's five, and the blends between them that smooth edges

# Pillow does not antialias shapes, so everything is drawn large and then reduced.
SCALE = 4

MARGIN = 48
AUTHOR_BASELINE = 66
RULE_Y = 84
TITLE_TOP, TITLE_BOTTOM = 102, 280
ORNAMENT_TOP = HEIGHT - WIDTH  # the ornament is a square across the foot

FONTS = Path("/usr/share/fonts/opentype/ebgaramond")
ROMAN = FONTS / "EBGaramond12-Regular.otf"
ITALIC = FONTS / "EBGaramond12-Italic.otf"
AUTHOR_SIZE, AUTHOR_TRACKING = 22, 2
YEAR_SIZE = 28
TITLE_SIZES = range(76, 35, -2)
TITLE_ASCENT, TITLE_LEADING = 0.8, 1.04  # in font sizes
TITLE_MAX_LINES = 3


class Palette(NamedTuple):
    ground: str
    text: str
    accents: tuple[str, str, str]


# Authors take these in catalog order. Neighbours differ in hue or lightness, so
# that one author's books are told from the next one's on a shelf.
PALETTES = [
    Palette("#f4ede1", "#33413a", ("#7f9c86", "#d9a79c", "#e9cfa9")),  # sage, rose
    Palette("#3a2b3f", "#f1e4d8", ("#8d5a78", "#c9a2a6", "#6a4a68")),  # heather
    Palette("#f5e8cf", "#5b2a1c", ("#c4562e", "#e0a23b", "#7d8a55")),  # La Mancha
    Palette("#22333b", "#f0e6d6", ("#5e7a80", "#c8963e", "#8c3f34")),  # gaslight
    Palette("#f1ebe3", "#2a2326", ("#9c2f35", "#d1b89a", "#6e6467")),  # ox-blood
    Palette("#43563f", "#f3ecd6", ("#8fa36b", "#dcc27a", "#2f3d2e")),  # meadow
    Palette("#eef0ee", "#1f3556", ("#4f7cac", "#c5d3de", "#d8a04e")),  # faience
    Palette("#e9dcc0", "#3b3527", ("#5f7d8c", "#b58d3d", "#9aa58a")),  # Weimar
    Palette("#1e1f22", "#ece7dc", ("#d4b13f", "#7d7f80", "#44474b")),  # soot
    Palette("#f6e7c8", "#1f4a45", ("#2f7f73", "#e08a3c", "#c9d0a4")),  # monsoon
    Palette("#1f4f4b", "#f7ebd3", ("#3f8a7c", "#f0b95a", "#d9694a")),  # Rio
    Palette("#e8eef0", "#16324a", ("#2f6687", "#8fb4c2", "#c9b48c")),  # sea
    Palette("#f3ebe4", "#2c2b4a", ("#b5434b", "#8b90b8", "#e3bfae")),  # indigo
    Palette("#17294d", "#f2e7cf", ("#3c6ca0", "#d9a441", "#a9432f")),  # Nautilus
    Palette("#efe9d8", "#2d4234", ("#5f8f5a", "#c7a6c9", "#e2c45c")),  # carnation
]


def draw_discs(draw, size, centre, radii, *colours):
    """Concentric discs in alternate colours; `size` is the unit of length."""
    x, y = centre
    for r, colour in zip(radii, itertools.cycle(colours)):
        box = (x - r) * size, (y - r) * size, (x + r) * size, (y + r) * size
        draw.ellipse(box, colour)


# Each motif draws on a square tile of the given size, already filled with `back`.
# It may reach past the tile's edges, which crop it.

def quarter_disc(draw, size, fore, back):
    draw_discs(draw, size, (0, 0), (1,), fore)


def quarter_rings(draw, size, fore, back):
    draw_discs(draw, size, (0, 0), (1, 0.75, 0.5, 0.25), fore, back)


def half_disc(draw, size, fore, back):
    draw_discs(draw, size, (0.5, 0), (0.5,), fore)


def arches(draw, size, fore, back):
    draw_discs(draw, size, (0.5, 0), (0.5, 0.34, 0.18), fore, back)


def ring(draw, size, fore, back):
    draw_discs(draw, size, (0.5, 0.5), (0.38, 0.16), fore, back)


def leaf(draw, size, fore, back):
    draw.chord((-size, -size, size, size), 0, 90, fore)
    draw.chord((0, 0, 2 * size, 2 * size), 180, 270, fore)


def spike(draw, size, fore, back):
    draw.polygon(((0, 0), (size, 0), (size / 2, size)), fore)


def diamond(draw, size, fore, back):
    half = size / 2
    draw.polygon(((half, 0), (size, half), (half, size), (0, half)), fore)


def chevrons(draw, size, fore, back):
    for reach, colour in ((2, fore), (1.5, back), (1, fore), (0.5, back)):
        r = reach * size
        draw.polygon(((0, 0), (r, 0), (0, r)), colour)


def fan(draw, size, fore, back):
    reach = 1.5 * size  # past the far corner
    for start in (11.25, 56.25):
        draw.pieslice((-reach, -reach, reach, reach), start, start + 22.5, fore)


MOTIFS = (quarter_disc, quarter_rings, half_disc, arches, leaf,
          spike, diamond, ring, chevrons, fan)


def draw_tile(rng, motifs, size, colours, angles):
    fore, back = rng.sample(colours, 2)
    tile = Image.new("RGB", (size, size), back)
    rng.choice(motifs)(ImageDraw.Draw(tile), size, fore, back)
    return tile.rotate(rng.choice(angles))


def draw_ornament(rng, size, palette):
    """A rosette: one eighth of it is made of random tiles, the rest reflects that.

    The symmetry is what makes a random choice of tiles look like a composition.
    """
    motifs = rng.sample(MOTIFS, 3)
    colours = [palette.ground, palette.text, *palette.accents]
    half = size // 2
    tile_size = half // rng.choice((2, 3))
    quarter = Image.new("RGB", (half, half))
    for x, y in itertools.product(range(0, half, tile_size), repeat=2):
        # Turned sideways on the diagonal, some would reflect into a plain square.
        angles = (0, 180) if x == y else (0, 90, 180, 270)
        quarter.paste(draw_tile(rng, motifs, tile_size, colours, angles), (x, y))

    below_diagonal = Image.new("1", (half, half))
    ImageDraw.Draw(below_diagonal).polygon(((0, 0), (0, half), (half, half)), 1)
    quarter.paste(quarter.transpose(Image.Transpose.TRANSPOSE), mask=below_diagonal)

    rosette = Image.new("RGB", (size, size))
    for y, corner in ((0, quarter), (half, ImageOps.flip(quarter))):
        rosette.paste(corner, (0, y))
        rosette.paste(ImageOps.mirror(corner), (half, y))
    return rosette


def balanced_lines(words, count, font):
    """The words in `count` lines, broken where the widest line is narrowest."""
    def split(breaks):
        edges = (0, *breaks, len(words))
        return [" ".join(words[a:b]) for a, b in itertools.pairwise(edges)]

    splits = map(split, itertools.combinations(range(1, len(words)), count - 1))
    return min(splits, key=lambda lines: max(map(font.getlength, lines)))


def fit_title(title, width, height):
    """The largest font in which the title fits, and its lines."""
    words = title.replace("'", "’").split()
    for size in TITLE_SIZES:
        font = ImageFont.truetype(str(ROMAN), size * SCALE)
        for count in range(1, min(len(words), TITLE_MAX_LINES) + 1):
            lines = balanced_lines(words, count, font)
            if (max(map(font.getlength, lines)) <= width
                    and count * font.size * TITLE_LEADING <= height):
                return font, lines
    sys.exit(f"title does not fit on a cover: {title}")


def draw_text(draw, author, book, colour):
    left, right = MARGIN * SCALE, (WIDTH - MARGIN) * SCALE

    # Capitals want letter spacing, which Pillow cannot do by itself.
    font = ImageFont.truetype(str(ROMAN), AUTHOR_SIZE * SCALE)
    x = left
    for letter in author.upper():
        draw.text((x, AUTHOR_BASELINE * SCALE), letter, colour, font, anchor="ls")
        x += font.getlength(letter) + AUTHOR_TRACKING * SCALE

    font = ImageFont.truetype(str(ITALIC), YEAR_SIZE * SCALE)
    year = str(book["Year"])
    draw.text((right, AUTHOR_BASELINE * SCALE), year, colour, font, anchor="rs")
    if x > right - font.getlength(year) - MARGIN * SCALE / 2:
        sys.exit(f"name does not fit on a cover: {author}")

    draw.line((left, RULE_Y * SCALE, right, RULE_Y * SCALE), colour, SCALE)

    height = (TITLE_BOTTOM - TITLE_TOP) * SCALE
    font, lines = fit_title(book["Title"], right - left, height)
    for number, line in enumerate(lines):
        y = TITLE_TOP * SCALE + font.size * (TITLE_ASCENT + number * TITLE_LEADING)
        draw.text((left, y), line, colour, font, anchor="ls")


def draw_cover(author, book, palette):
    cover = Image.new("RGB", (WIDTH * SCALE, HEIGHT * SCALE), palette.ground)
    draw_text(ImageDraw.Draw(cover), author, book, palette.text)
    rng = random.Random(book["Cover"])
    cover.paste(draw_ornament(rng, WIDTH * SCALE, palette), (0, ORNAMENT_TOP * SCALE))
    return cover.reduce(SCALE).quantize(COLOURS, dither=Image.Dither.NONE)


def check(path):
    with Image.open(path) as cover:
        width, height = cover.size
    length = path.stat().st_size
    if (width, height) != (WIDTH, HEIGHT) or length >= MAX_BYTES:
        sys.exit(f"{path} is unfit: {width}x{height} px, {length} bytes")


def main():
    parser = argparse.ArgumentParser(description="Draw the covers of a catalog.")
    parser.add_argument("catalog", type=Path)
    parser.add_argument("covers", type=Path)
    arguments = parser.parse_args()

    catalog = plistlib.loads(arguments.catalog.read_bytes())
    arguments.covers.mkdir(parents=True, exist_ok=True)
    paths = []
    for entry, palette in zip(catalog, itertools.cycle(PALETTES)):
        for book in entry["Books"]:
            path = arguments.covers / book["Cover"]
            draw_cover(entry["Author"], book, palette).save(path, optimize=True)
            paths.append(path)
    for path in paths:
        check(path)


if __name__ == "__main__":
    main()
