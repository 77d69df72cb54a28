"""Languages, units and colours of pages."""

import re
from pathlib import Path
from string import Formatter

import pytest

import fripn
from fripn.errors import InvalidSetting
from fripn.problem import Instance, VehicleType
from fripn.render.colours import contrast, route_colours
from fripn.render.language import LANGUAGES, TEXTS, text_in
from fripn.render.presentation import COLOURS, Presentation


def instance(metric="great_circle"):
    return Instance("n", [[0, 0], [1, 1]], [0, 1], [VehicleType("van", 1)], metric)


def test_every_text_has_every_language_and_the_same_placeholders():
    """Without a translation, or with another placeholder, a page would break."""
    for key, texts in TEXTS.items():
        assert len(texts) == len(LANGUAGES)
        assert all(texts)
        names = [{name for _, name, _, _ in Formatter().parse(text) if name} for text in texts]
        assert names[0] == names[1], key


def test_texts_are_used_and_used_texts_exist():
    """No text is left behind when its page changes."""
    package = Path(fripn.__file__).parent
    source = "".join(
        path.read_text(encoding="utf-8")
        for folder in ("render", "cli")
        for ending in ("py", "js")
        for path in (package / folder).rglob(f"*.{ending}")
        if path.name != "language.py"
    )
    prefixes = ("change_", "status_", "metric_", "js_")
    for key in TEXTS:
        assert f'"{key}"' in source or f"'{key}'" in source or key.startswith(prefixes), key
    for key in re.findall(r"""(?:show\.text|text_in)\(["'](\w+)["']""", source):
        assert key in TEXTS


@pytest.mark.parametrize(
    ("show", "money"),
    [
        (Presentation(), "1,234.50"),
        (Presentation(currency="€"), "€1,234.50"),
        (Presentation(currency="EUR"), "1,234.50 EUR"),
        (Presentation("de", currency="€"), "1.234,50 €"),
    ],
)
def test_money(show, money):
    assert show.money(1234.5) == money


def test_signed_money_keeps_its_sign():
    show = Presentation("de", currency="€")
    assert show.money(-2.5, signed=True) == "−2,50 €"
    assert show.money(2.5, signed=True) == "+2,50 €"


def test_units_of_loads_and_distances():
    """Latitudes and longitudes are in kilometres; others in what the user says, or in nothing."""
    assert Presentation(load_unit="kg").load(1200) == "1,200 kg"
    assert Presentation().distance(12.34, instance()) == "12.3 km"
    assert Presentation("de").distance(1234.56, instance()) == "1.234,6 km"
    assert Presentation().distance(12.34, instance("euclidean")) == "12.34"
    assert Presentation(distance_unit="mi").distance(12.34, instance("euclidean")) == "12.34 mi"


def test_no_minus_before_nothing():
    """-0.00 % is 0.00 %."""
    assert Presentation().percent(-0.00001, 2, signed=True) == "+0.00 %"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"language": "fr"}, "language is 'fr'; use one of en, de"),
        ({"colours": "types"}, "colours is 'types'; did you mean 'type'"),
        ({"currency": "a very long unit"}, "currency is 'a very long unit'; write at most 12"),
        ({"load_unit": "k\x1bg"}, "visible characters"),
    ],
)
def test_wrong_settings_are_refused(settings, message):
    with pytest.raises(InvalidSetting, match=message):
        Presentation(**settings)


def test_shades_stay_in_the_family_and_differ():
    """Twelve routes of one type have twelve colours, all visible on white."""
    colours = route_colours([0] * 12, "shade")
    assert len({colour.light for colour in colours}) == 12
    for colour in colours:
        red, green, blue = (int(colour.light[place : place + 2], 16) for place in (1, 3, 5))
        assert blue > green > red  # all of them shades of blue
        assert 0.299 * red + 0.587 * green + 0.114 * blue < 170


@pytest.mark.parametrize("colours", COLOURS)
def test_numbers_can_be_read_on_every_colour(colours):
    """At least 4.5:1, as for text; the lightest shades need black numbers."""
    chosen = route_colours([index % 8 for index in range(96)], colours)
    for colour in chosen:
        for ground, number in zip((colour.light, colour.dark), colour.number_colours, strict=True):
            assert contrast(ground, number) >= 4.5
    assert {colour.number_colours[1] for colour in chosen} >= {"#000000"}


def test_contrast_of_known_colours():
    """Values of the guidelines: 21 for black on white, 1 for equal colours, 4.54 for this grey."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#336699", "#336699") == 1
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)


def test_text_in_fills_placeholders():
    assert text_in("de", "stops", count=3) == "3 Stopps"
