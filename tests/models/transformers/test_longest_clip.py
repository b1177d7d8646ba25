"""How long a clip may be is measured at the processor: here ones that cut, pad, normalise and lie."""

import numpy as np
import pytest

from audiometry.errors import UsageError
from audiometry.models.transformers import hearing
from audiometry.models.transformers.opened import Opened
from audiometry.models.transformers.wanted import Wanted

RATE = 8000


class Ear:
    """A feature extractor that states a length, rightly or not."""

    sampling_rate = RATE

    def __init__(self, **stated):
        self.__dict__.update(stated)


class Processor:
    """Lets ``cut_s`` seconds through, from a clip normalised before or after."""

    def __init__(self, cut_s, *, normalise_first=False, deaf=False, **stated):
        self.feature_extractor = Ear(**{k: v for k, v in stated.items() if k != "max_audio_len"})
        self.cut_s, self.normalise_first, self.deaf = cut_s, normalise_first, deaf
        if "max_audio_len" in stated:
            self.max_audio_len = stated["max_audio_len"]

    def apply_chat_template(self, conversations, **_):
        samples = conversations[0][0]["content"][0]["audio"]
        if self.normalise_first:
            samples = (samples - samples.mean()) / samples.std()
        if self.cut_s is not None:
            samples = samples[: round(self.cut_s * RATE)]
        if not self.normalise_first:
            samples = (samples - samples.mean()) / samples.std()
        words = {"input_ids": np.array([[1, 2, 3]])}
        return words if self.deaf else {**words, "input_features": samples[None]}


def longest(processor):
    opened = Opened(Wanted(name="hf/x", source="x", local=True), None, None, processor, None, RATE, False, "")
    return hearing.longest_s(opened)


@pytest.mark.parametrize("normalise_first", [False, True])
def test_a_processor_that_cuts_where_it_says(normalise_first):
    assert longest(Processor(4, n_samples=4 * RATE, normalise_first=normalise_first)) == 4.0
    assert longest(Processor(4, chunk_length=4, normalise_first=normalise_first)) == 4.0


def test_a_processor_that_makes_windows_takes_any_length():
    assert longest(Processor(None, chunk_length=4)) is None


def test_a_processor_that_names_its_limit_is_believed():
    assert longest(Processor(None, chunk_length=4, max_audio_len=20)) == 20.0


@pytest.mark.parametrize("normalise_first", [False, True])
@pytest.mark.parametrize("cut_s", [1.1, 7.5, 29.97, 30.0, 45.3])
def test_a_processor_that_says_nothing_is_measured(cut_s, normalise_first):
    found = longest(Processor(cut_s, normalise_first=normalise_first))
    assert cut_s - 0.3 <= found <= cut_s


def test_a_processor_that_cuts_before_it_says_is_found_out():
    assert longest(Processor(2.0, chunk_length=4)) <= 2.0


def test_a_prompt_without_the_clip_is_refused():
    with pytest.raises(UsageError, match="leaves the audio out"):
        longest(Processor(4, chunk_length=4, deaf=True))
