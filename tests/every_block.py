"""Of every kind of block one, to print and to look at."""

from audiometry.render.document import (
    Card,
    Cards,
    Chart,
    Choices,
    Copied,
    Facts,
    Folded,
    Headline,
    Piece,
    Quoted,
    Section,
    Tile,
    Tiles,
    code,
    line,
    name,
    strong,
)
from audiometry.render.figure import Axis, Band, Figure, Mark
from audiometry.render.table import Column, Estimate, OutOf, RowInfo, Table

SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
NAMES = ("Speaker_Gender_Recognition_common_voice", "melody", "mean of categories")
RUNS = ("openai/gpt-audio", "cascade/pocketsphinx?hears=words&reader=hf/a/b", "a system of a paper")


def bands(names=NAMES, runs=RUNS):
    """Shares of each run in each band: the last run's hollow and without intervals."""
    marks = []
    for band in range(len(names)):
        for series in range(len(runs)):
            x = 0.2 + 0.2 * band + 0.1 * series
            hollow = series == 2
            marks.append(
                Mark(x=x, y=band, series=series, hollow=hollow, interval=None if hollow else (x - 0.1, x + 0.05))
            )
    last = len(names) - 1
    return Figure(
        id="tasks",
        caption="Share correct by task",
        signature="strict|n2000|seed0",
        kind="bands",
        x=Axis(title="correct", unit="%", ticks=SHARES),
        y=Axis(bands=tuple(Band(name=one, reference=0.25, strong=at == last) for at, one in enumerate(names))),
        marks=tuple(marks),
        reference_name="chance",
        n=2000,
        series=runs,
    )


DIFFERENCE = Figure(
    id="comparison",
    caption="Difference by task",
    signature="",
    kind="bands",
    x=Axis(title="A - B", low=-0.2, high=0.2, ticks=(-0.2, -0.1, 0.0, 0.1, 0.2), unit="points", sign=True),
    y=Axis(bands=(Band(name="a"), Band(name="b & <c>"))),
    marks=(Mark(x=0.1, y=0, interval=(0.02, 0.18)), Mark(x=-0.05, y=1, interval=(-0.12, 0.03))),
    reference=0.0,
    reference_name="no difference",
    n=300,
    shade=(-0.069, 0.069),
    shade_name="differences that would be missed more than once in five",
)
BARS = Figure(
    id="letters",
    caption="Letters right and chosen",
    signature="",
    kind="bars",
    x=Axis(title="replies", high=50.0, ticks=(0.0, 25.0, 50.0)),
    y=Axis(bands=tuple(Band(name=letter) for letter in "ABCD")),
    marks=tuple(Mark(x=10.0 * (band + 1), y=band, series=series) for band in range(4) for series in range(2)),
    n=100,
    series=("right", "chosen"),
)
LABELS = ("happy", "sad", "no answer")
MATRIX = Figure(
    id="labels",
    caption="Right label by row, chosen label by column",
    signature="",
    kind="matrix",
    x=Axis(title="chosen", bands=tuple(Band(name=label) for label in (*LABELS, "all"))),
    y=Axis(title="right", bands=tuple(Band(name=label) for label in LABELS[:2])),
    marks=(
        *(
            Mark(x=x, y=y, n=n, shade=n / 1221, framed=x == y, items=f"task=a&x={x}")
            for y in range(2)
            for x, n in enumerate((1200 - 1193 * y, 7 + 1193 * y, 14))
        ),
        *(Mark(x=3, y=y, n=1221) for y in range(2)),
    ),
    reference_name="right",
    n=2442,
    shade_name="share of the row",
)
SCATTER = Figure(
    id="both",
    caption="Single choice against open answers",
    signature="",
    kind="scatter",
    x=Axis(title="foundation", unit="%", ticks=SHARES),
    y=Axis(title="chat", low=1.0, high=10.0, ticks=(1.0, 4.0, 7.0, 10.0)),
    marks=(
        Mark(x=0.3, y=4.0, name="one system", hollow=True),
        Mark(x=0.31, y=4.1, name="another system", hollow=True),
        Mark(x=0.9, y=6.0, name="ours", series=1, interval=(0.8, 0.95), upright=(5.0, 7.0)),
    ),
    n=19000,
)
NOTHING = Figure(id="nothing", caption="Nothing", signature="", kind="bands", x=Axis(), y=Axis(), marks=())
FIGURES = (bands(), DIFFERENCE, BARS, MATRIX, SCATTER, NOTHING)
COLUMNS = (
    Column(id="task", title="task", kind="name"),
    Column(id="items", title="items", kind="count"),
    Column(id="correct", title="correct", kind="number", unit="%"),
    Column(id="interval", title="95 %", kind="interval", unit="%"),
    Column(id="tau", title="tau-b", kind="number", decimals=2),
    Column(id="p", title="p", kind="p"),
    Column(id="answered", title="answered", kind="count"),
    Column(id="why", title="why", kind="text"),
)
TABLE = Table(
    id="tasks",
    caption="Share correct by task",
    signature="strict|n2000|seed0",
    columns=COLUMNS,
    rows=tuple(
        (name, 2000, 0.5, (0.4, 0.6), Estimate(-0.5, (-0.7, 0.1), "of 2"), 0.00001, OutOf(1, 2), "so many words")
        for name in NAMES
    ),
    info=(RowInfo(note="What it is.", items="task=a"), RowInfo(last=True), RowInfo(strong=True)),
)


def headline(name_of=NAMES[0]):
    """A number on its own, with what it is made of, and an item."""
    one = Table(id="one", caption="One", signature="", columns=COLUMNS[:4], rows=((name_of, 2000, 0.5, (0.4, 0.6)),))
    return (
        Headline(
            number=("50.0", "%"),
            what="correct",
            under=(line("95 % interval ", strong("40.0 to 60.0"), weight="bare"),),
            chart=Chart(bands(names=(name_of,), runs=()), one),
            told=(line("The mean of 2,000 items.", weight="bare"),),
        ),
        Tiles(
            "What became of the replies",
            (
                Tile("correct", "1,000", "of 2,000, 50.0 %", "correct", "✓", 0.5),
                Tile("wrong", "1,000", "of 2,000, 50.0 %", "wrong", "✗", 0.5),
                Tile("above the reference", "40.0", "%", "win"),
                Tile("items", "2,000"),
            ),
        ),
        Cards(
            (
                Card(
                    (
                        line(name(name_of), weight="asked"),
                        Choices((("A", name_of, "right answer"), ("B", "another", ""), ("", "no letter", "reference"))),
                        line(Piece("wrong", "state", "✗"), " read as ", name(name_of), weight="dim"),
                        Quoted(name_of),
                        Quoted("", "an empty reply"),
                    ),
                    item=name_of,
                ),
                Card((line("alone"),)),
            )
        ),
    )


def every_block(name_of=NAMES[0]):
    """Sections with every kind of block, of which one table has a row of that name."""
    named = Table(id="named", caption="Named", signature="", columns=COLUMNS[:2], rows=((name_of, 1),))
    return (
        Section(
            id="lines",
            title="Lines",
            short="Lines",
            of="a model",
            blocks=(
                line("It scores ", strong("62.5 %"), " of ", name(name_of), " by ", code("strict"), "."),
                line("To be minded.", weight="minded"),
                line("How it is made.", weight="dim"),
                line("What it is.", weight="about"),
                Copied("audiometry score runs/a", "again"),
                Facts((("model", ("x",)), ("rate", ("16 kHz",)))),
            ),
        ),
        Section(id="head", title="Head", blocks=headline(name_of)),
        Section(id="numbers", title="Numbers", short="Numbers", blocks=(Chart(bands(), TABLE), named)),
        Section(
            id="figures",
            title="Figures",
            short="Figures",
            blocks=(*FIGURES[1:], Folded("More of it", (line("Folded up."), TABLE))),
        ),
    )
