"""MiMo-Audio (7B) behind audiometry's pipe. A skeleton: not run by us, it needs its weights and a GPU.

Code        https://github.com/XiaomiMiMo/MiMo-Audio
Weights     XiaomiMiMo/MiMo-Audio-7B-Instruct and XiaomiMiMo/MiMo-Audio-Tokenizer on the Hugging Face hub
Needs       Python 3.12, CUDA 12 or newer, the clone's requirements.txt, flash-attn 2.7.4.post1, as its README lists
Rate        any, mono: its loader resamples to its tokenizer's own rate
Limit       none stands in its code; its 8,192 places hold 6.25 a second
Order       clip first, no other: its prompt for a question on a sound puts the clip before the words
Template    its chat's own; without thinking, unless --thinking 1
Decoding    its own for such questions: sampling with temperature 0.3 and top_p 0.95
Text alone  answered, by its text_dialogue_sft (which samples with temperature 0.4)
Source      XiaomiMiMo/MiMo-Audio@691ce54 README.md; rsxdalv/tts-webui.MiMo-Audio@3312aa4 src/mimo_audio/mimo_audio.py
            (made from it for another interface; that file of the project's own repository is not in the index)

    audiometry run mini --model "exec/ENV/bin/python skeletons/mimo_audio.py --repo MiMo-Audio"
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # where audiometry_pipe.py lies; or copy it beside this

import audiometry_pipe

audiometry_pipe.take_over()


def main() -> None:
    """Load, then answer."""
    args = audiometry_pipe.options(
        repo=(".", "the clone"),
        weights=("models/MiMo-Audio-7B-Instruct", "folder of the model"),
        tokenizer=("models/MiMo-Audio-Tokenizer", "folder of the tokenizer of sounds"),
        thinking=(0, "1: it thinks before it answers"),
    )
    with audiometry_pipe.research_code("MiMo-Audio", "https://github.com/XiaomiMiMo/MiMo-Audio", args.repo):
        from src.mimo_audio.mimo_audio import MimoAudio

    model = MimoAudio(args.weights, args.tokenizer)
    thinking = bool(args.thinking)

    def reply(request: audiometry_pipe.Request) -> audiometry_pipe.Reply:
        if request.clip is None:
            return model.text_dialogue_sft(request.text, thinking=thinking)
        return model.audio_understanding_sft(request.clip.path, request.text, thinking=thinking)

    name = Path(args.weights).name + (" thinking" if thinking else "")
    audiometry_pipe.serve(audiometry_pipe.each(reply), name=name, rate=None, fixed_order=True)


if __name__ == "__main__":
    main()
