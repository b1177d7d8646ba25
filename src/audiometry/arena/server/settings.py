"""The settings of an arena, as its file says them (TOML)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec

from audiometry.arena.store.nouns import OUTCOMES
from audiometry.errors import UndecodableError, UsageError, shown
from audiometry.files import foreign

SYSTEM_PROMPT: Final = (
    "A person is speaking or writing to you. Answer what is said, in the language it is said in, as plain text."
)
"""What models are told unless the settings say otherwise."""
_Count: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
_Many: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]
_Seconds: TypeAlias = Annotated[float, msgspec.Meta(gt=0, le=3600)]
_Line: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
_Words: TypeAlias = Annotated[str, msgspec.Meta(max_length=20_000)]


class ModelEntry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A ``[[model]]`` that takes part.

    Attributes:
        name: ``provider/name``.
        label: what people are told it is called, after the vote and on boards; empty: its name.
        base_url: where it is served; empty: the provider's address.
        release: its version, as the provider calls it; another one is another contestant.
        system_prompt: that it is given in place of the arena's.
        temperature, max_tokens, extra, card, reader, stream: as the options of ``audiometry run`` of these names.
    """

    name: _Line
    label: Annotated[str, msgspec.Meta(max_length=80)] = ""
    base_url: str = ""
    release: str = ""
    system_prompt: _Words | None = None
    temperature: Annotated[float, msgspec.Meta(ge=0, le=2)] | None = None
    max_tokens: _Count | None = None
    extra: dict[str, Any] = {}
    card: str = ""
    reader: str = ""
    stream: bool = True


class Consent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The ``[consent]`` that people give before anything else; another text needs another version."""

    version: Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
    text: Annotated[str, msgspec.Meta(min_length=1, max_length=20_000)]


class Speaking(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The ``[recording]``: what people may send.

    Attributes:
        longest_s: seconds of a recording.
        largest_mb: megabytes of its file.
        upload, typed: whether files and typed words are taken beside the microphone.
        normalise: bring the peak of a recording up; silence stays silence.
        echo_cancellation, noise_suppression, auto_gain_control: what the browser is asked to do to the sound.
    """

    longest_s: Annotated[float, msgspec.Meta(ge=1, le=600)] = 60.0
    largest_mb: Annotated[float, msgspec.Meta(gt=0, le=200)] = 24.0
    upload: bool = True
    typed: bool = True
    normalise: bool = False
    echo_cancellation: bool = True
    noise_suppression: bool = True
    auto_gain_control: bool = True

    @property
    def largest_bytes(self) -> int:
        """Bytes of its file."""
        return int(self.largest_mb * 1e6)


class Voting(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The ``[vote]``: what people may say.

    Attributes:
        outcomes: which there are, in this order.
        tags: reasons to choose from; none unless given, since they steer.
        comment: whether a reason in words is asked for.
        shortcuts: whether single keys vote.
        reveal: whether names are shown after the vote.
    """

    outcomes: tuple[Literal["model_a", "model_b", "tie", "both_bad", "skip"], ...] = OUTCOMES
    tags: tuple[_Line, ...] = ()
    comment: bool = True
    shortcuts: bool = True
    reveal: bool = True


class Asking(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The ``[asking]``.

    Attributes:
        timeout_s: seconds for one attempt at a model.
        whole_s: seconds for all attempts together.
        steps: whether replies grow in equal steps; else both are shown whole, at once.
        quota: battles of each pair; 0: no end.
    """

    timeout_s: _Seconds = 60.0
    whole_s: _Seconds = 120.0
    steps: bool = False
    quota: _Many = 0


class Limits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The ``[limits]``: how often; 0: no limit.

    Attributes:
        battles: that a voter may begin in ten minutes.
        recordings: that a voter may send in ten minutes.
        address_battles, address_recordings: the same of an address of the network, behind which many may sit.
        requests: of an address in ten seconds.
        connections: at one time.
        address_connections: of an address at one time; where there are proxies they have to see to that.
    """

    battles: _Many = 60
    recordings: _Many = 90
    address_battles: _Many = 600
    address_recordings: _Many = 900
    requests: _Many = 600
    connections: _Count = 1000
    address_connections: _Many = 250


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How an arena is served.

    Attributes:
        models: those that take part; a name stands for an entry without more.
        model: the same, as ``[[model]]`` tables.
        title: of the page.
        db: URL of the database.
        audio: folder of the recordings; empty: beside a SQLite database, else ``arena-audio``.
        system_prompt: that every model is given.
        transcriber: a model that writes down what is said on recordings, as a ``[[model]]``'s name; empty: none.
        keep_days: for which recordings and words are kept; 0: no end.
        board_s: seconds between boards.
        hosts: names under which the page is asked for; empty: any, unless it listens on this machine alone.
        https: whether people reach it by https, through a proxy: its cookie is for that alone then.
        proxies: how many proxies stand before it, each of which notes whom it asks for (``X-Forwarded-For``).
        consent, recording, vote, asking, limits: see there.
    """

    models: tuple[_Line, ...] = ()
    model: tuple[ModelEntry, ...] = ()
    title: _Line = "Audiometry arena"
    db: str = "sqlite:///arena.sqlite"
    audio: str = ""
    system_prompt: _Words = SYSTEM_PROMPT
    transcriber: str = ""
    keep_days: Annotated[float, msgspec.Meta(ge=0, le=36_500)] = 0.0
    board_s: _Seconds = 30.0
    hosts: tuple[_Line, ...] = ()
    https: bool = False
    proxies: Annotated[int, msgspec.Meta(ge=0, le=10)] = 0
    consent: Consent | None = None
    recording: Speaking = Speaking()
    vote: Voting = Voting()
    asking: Asking = Asking()
    limits: Limits = Limits()

    @property
    def entries(self) -> tuple[ModelEntry, ...]:
        """The models that take part."""
        return *self.model, *(ModelEntry(name=name) for name in self.models)

    @property
    def audio_folder(self) -> Path:
        """Where recordings are kept."""
        scheme, mark, path = self.db.partition("sqlite:///")
        beside = Path(path) if mark and not scheme else Path("arena")
        return Path(self.audio) if self.audio else beside.with_name(f"{beside.stem}-audio")

    @property
    def database_folder(self) -> Path | None:
        """Where a SQLite database stands; None: it is none."""
        scheme, mark, path = self.db.partition("sqlite:///")
        return Path(path).parent if mark and not scheme else None


def read(path: Path) -> Settings:
    """Settings from a file.

    Raises:
        UsageError: it cannot be read, or says what cannot be; names the nearest known key.
    """
    try:
        raw = foreign.read_file(path)
    except UndecodableError as problem:
        raise UsageError(f"{problem.at(path)}; name the arena's file, or its models with --models A,B") from problem
    try:
        return foreign.toml(raw, Settings)
    except UndecodableError as problem:
        named = '; tables are called [[model]], and models = ["provider/name", …] lists names'
        more = named if "of 'models' is a table" in str(problem) else ""
        raise UsageError(f"{problem.at(path)}{more} (all keys: docs/arena.md)") from problem


def checked(settings: Settings) -> Settings:
    """The settings, which go together.

    Raises:
        UsageError: they do not.
    """
    entries = settings.entries
    if len(entries) < 2:  # noqa: PLR2004  a battle
        raise UsageError("an arena needs two models at least; name them with --models A,B or in [[model]] tables")
    if double := next((entry.name for entry in entries if entries.count(entry) > 1), ""):
        raise UsageError(
            f"'{shown(double)}' takes part twice; name it once, or with another release, prompt or setting"
        )
    if not {"model_a", "model_b"} <= set(settings.vote.outcomes):
        raise UsageError("[vote] outcomes: 'model_a' and 'model_b' have to be among them")
    for key, said in (("outcomes", settings.vote.outcomes), ("tags", settings.vote.tags)):
        if twice := next((one for one in said if said.count(one) > 1), ""):
            raise UsageError(f"[vote] {key}: '{shown(twice)}' stands there twice; name each once")
    if settings.asking.whole_s < settings.asking.timeout_s:
        raise UsageError("[asking]: whole_s is the time of all attempts; it cannot be less than timeout_s of one")
    return settings
