"""Figures carry their words, keep colours apart for everyone, and leave matplotlib as it was."""

import io
import itertools

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from PIL import Image
from seaborn.utils import relative_luminance

from symshift.config import presets
from symshift.models.registry import FAMILIES, RESERVE
from symshift.results import style as figures
from symshift.results.picture import PALETTE, draw_heatmap, single_panel
from symshift.results.style import styled

# what a person sees who lacks one kind of cone (Machado et al. 2009, severity 1), in linear RGB
SIGHT = {
    "full": np.eye(3),
    "protanopia": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
    "deuteranopia": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    "tritanopia": [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
}
TO_XYZ = [[0.4339, 0.3762, 0.1899], [0.2127, 0.7152, 0.0722], [0.0178, 0.1095, 0.8727]]  # white is 1, 1, 1

RUNS = pd.DataFrame(
    [(model, seed, 2.0 + seed) for model in ("stpr", "mn", "stpr-sm") for seed in range(3)],
    columns=["model", "seed", "error_test"],
)
STORY = [["mary", "went", "to", "the", "kitchen"], ["john", "left"]]
PICTURES = {
    "learning curves": lambda: figures.learning_curves(
        pd.DataFrame({"model": "tpr", "seed": [0, 0, 1], "update": [0, 100, 0], "valid_error": [80.0, 20.0, 70.0]})
    ),
    "errors by seed": lambda: figures.errors_by_seed(RUNS),
    "one seed": lambda: figures.errors_by_seed(RUNS[:1]),
    "confusion": lambda: figures.confusion(pd.DataFrame({"right": ["office", "garden"], "given": ["office", "park"]})),
    "heatmap": lambda: figures.heatmap(
        pd.DataFrame([[0.1, -0.2], [0.3, 0.4]], index=map(" ".join, STORY)), "Attention", "hop", "sentence", "weight"
    ),
    "errors by test": lambda: figures.errors_by_test(RUNS.assign(error_room=100.0, error_people=50.0)),
    "answer parts": lambda: figures.answer_parts(
        pd.DataFrame({"word": ["office", "garden"], "semantic": [0.1, 0.2], "symbolic": [0.6, 0.1]}), "Answer"
    ),
}


def lab(colour: str, sight: list[list[float]]) -> np.ndarray:
    """CIELAB of a colour as someone sees it."""
    rgb = np.array(to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    x, y, z = np.cbrt(np.clip(np.array(TO_XYZ) @ np.clip(np.array(sight) @ linear, 0, 1), 1e-6, 1))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def test_every_preset_looks_like_itself():
    looks = [tuple(figures.style(model).values()) for model in presets()]
    assert len(set(looks)) == len(presets())
    own = figures.style("stpr-mine"), figures.style("stpr")
    assert own[0]["color"] == own[1]["color"]
    assert own[0]["linestyle"] != own[1]["linestyle"]
    assert figures.style("mynetwork")["color"] == FAMILIES["lstm"].colour
    assert figures.sort_presets(["entnet-tied", "stpr-sm", "mn+prehoc", "stpr", "mn"]) == [
        "mn", "mn+prehoc", "stpr", "stpr-sm", "entnet-tied",
    ]  # fmt: skip


def test_presets_of_one_family_differ_without_lines():
    """Bars have no dashes: what a family has more than once is hatched."""
    models = ["mn", "stpr", "stpr-sm", "stpr-words", "stpr-hidden"]
    assert list(figures.bar_hatches(models).values()) == ["", "", "//", "..", "xx"]
    legend = figures.errors_by_test(RUNS).axes[0].get_legend()
    assert len({(bar.get_facecolor(), bar.get_hatch()) for bar in legend.get_patches()}) == RUNS.model.nunique()


@pytest.mark.parametrize("sight", SIGHT)
def test_colours_keep_apart(sight):
    colours = {name: look.colour for name, look in FAMILIES.items()} | {colour: colour for colour, _ in RESERVE}
    seen = {name: lab(colour, SIGHT[sight]) for name, colour in colours.items()}
    distances = {pair: np.linalg.norm(seen[pair[0]] - seen[pair[1]]) for pair in itertools.combinations(seen, 2)}
    assert min(distances.values()) > 15, min(distances, key=distances.get)


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_carries_its_words_and_is_an_image(name):
    before = dict(mpl.rcParams)
    picture = PICTURES[name]()
    assert dict(mpl.rcParams) == before
    data, metadata = picture._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG")
    assert metadata["image/png"]["alt"] == repr(picture) != ""
    ax = picture.axes[0]
    assert ax.get_title(loc="left")
    assert ax.get_xlabel()
    assert all(text.get_fontsize() >= 9 for text in picture.findobj(mpl.text.Text) if text.get_text())


def test_markers_of_one_colour_differ_by_their_edge():
    edges = figures.marker_edges(["tpr", "tpr-sm", "mn"])
    assert edges["tpr"] == figures.style("tpr")["color"] == figures.style("tpr-sm")["color"] != edges["tpr-sm"]
    assert edges["mn"] == figures.style("mn")["color"]


def test_a_file_of_few_colours_keeps_those_of_a_colour_bar():
    """A median cut gave the ends of a colour bar, which are small, to their neighbours: blue was grey."""
    noise = np.random.default_rng(0).normal(0, 0.2, (12, 12))
    picture = figures.heatmap(pd.DataFrame(np.tanh(noise)), "Correlation", "word", "word", "correlation")
    image = Image.open(io.BytesIO(picture._repr_mimebundle_()[0]["image/png"])).convert("RGB")
    colours = np.unique(np.asarray(image, dtype=int).reshape(-1, 3), axis=0)
    assert len(colours) <= PALETTE
    drawn = 255 * mpl.colormaps["vlag"](np.linspace(0, 1, 21))[:, :3]
    assert np.abs(drawn[:, None] - colours).max(axis=-1).min(axis=1).max() < 6


@pytest.mark.parametrize("masked", [False, True])
def test_numbers_stand_out_from_their_square(masked):
    """Each number has a contrast of 3 at least, the ratio that WCAG asks for beside large type."""
    table = pd.DataFrame(np.linspace(0, 100, 36).reshape(4, 9))
    if masked:
        table.iloc[1, 2] = np.nan
    _, ax = single_panel("Errors", "task", "model")
    draw_heatmap(ax, table, cmap="Blues", vmin=0, vmax=100, annot=True, fmt=".0f")
    colour = {f"{value:.0f}": mpl.colormaps["Blues"](value / 100) for value in table.to_numpy().ravel() if value >= 0}
    assert len(ax.texts) == len(colour)
    for text in ax.texts:
        dark, light = sorted(relative_luminance(one) for one in (text.get_color(), colour[text.get_text()]))
        assert (light + 0.05) / (dark + 0.05) > 3


def test_picture_describes_shared_axes_once():
    """Panels that share axes are described once, under the title of all."""
    picture = figures.Picture()
    picture.suptitle("Two models")
    for ax, title in zip(picture.subplots(1, 2), ("tpr", "a long\nname"), strict=True):
        ax.set_title(title, loc="left")
    picture.axes[0].set(ylabel="error (percent)", xlabel="task")
    assert repr(picture) == "Two models. tpr; a long name: error (percent) by task"
    picture.suptitle("Who?")
    assert repr(picture).startswith("Who? tpr;")


def test_presets_come_in_one_order():
    mixed = ["stpr-sm", "posthoc", "gstpr", "mn", "stpr", "prehoc-weak-sm", "prehoc"]
    assert figures.sort_presets(mixed) == ["mn", "stpr", "stpr-sm", "gstpr", "prehoc", "prehoc-weak-sm", "posthoc"]


def test_a_stopped_run_keeps_its_last_value_in_the_mean():
    mean = PICTURES["learning curves"]().axes[0].lines[-1]
    assert mean.get_ydata().tolist() == [75.0, 45.0]


def test_a_run_of_one_validation_has_a_mark():
    """Markers at shares of a line's length are none where there is one point, and the figure was empty."""
    for error in (0.0, 40.0):
        curve = pd.DataFrame({"model": "tpr", "seed": [0, 1], "update": 50, "valid_error": error})
        ax = figures.learning_curves(curve).axes[0]
        assert ax.lines[-1].get_markevery() is None
        assert ax.get_ylim()[0] < 0 < figures.FAILED <= ax.get_ylim()[1]


def test_labels_of_many_bars_do_not_overlap():
    models = ["mn", "mn-inputs", "stpr", "stpr-sm", "gstpr"]
    runs = pd.DataFrame({"model": models, "error_test": 50.0, "error_room": 100.0, "error_people": 99.0})
    picture = figures.errors_by_test(runs)
    picture.draw_without_rendering()
    boxes = [text.get_window_extent() for text in picture.axes[0].texts]
    assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))


def test_styled_escapes_words_and_names_of_stories():
    """A vocabulary word in a cell, a name of stories in the index and a column, all from files of strangers."""
    hostile = "<script>alert(1)</script>"
    index = pd.MultiIndex.from_tuples([(hostile, 1)], names=["stories", hostile])
    table = pd.DataFrame({hostile: [0.5], "word": [hostile]}, index)
    text = styled(table).format(precision=1).to_html()
    assert "<script" not in text
    assert text.count("&lt;script&gt;") == 4
    assert "<script" not in styled(pd.Series({hostile: hostile}, name=hostile)).to_html()
