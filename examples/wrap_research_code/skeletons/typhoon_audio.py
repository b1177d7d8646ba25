"""Typhoon-Audio (8B, version 1) behind audiometry's pipe. A skeleton: not run by us, it needs its weights and a GPU.

Code        with the weights (trust_remote_code)
Weights     scb10x/llama-3-typhoon-v1.5-8b-audio-preview on the Hugging Face hub, which Talk Arena began with; it went
            over to scb10x/llama-3-typhoon-audio-8b-2411, whose code we could not read: --weights takes it
Needs       torch, transformers, soundfile, librosa
Rate        16 kHz mono speech, Thai and English
Limit       30 s: its example cuts there, so longer clips are refused here
Order       clip first, no other: its pattern has one place for words, behind the clip
Template    Llama 3's user turn, <Speech> clip </Speech> words, as Talk Arena gives it for the pattern
Decoding    Talk Arena's: greedy, one beam, a length of at most 1,200
Text alone  refused: its generate wants a clip
Source      SALT-NLP/talk-arena@23914f0 src/talk_arena/streaming_helpers.py

    audiometry run mini --model "exec/ENV/bin/python skeletons/typhoon_audio.py"
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
        weights=("scb10x/llama-3-typhoon-v1.5-8b-audio-preview", "name on the hub, or a folder"),
        device=("cuda:0", "where it runs"),
    )
    with audiometry_pipe.research_code(
        "transformers with torch and soundfile", "https://huggingface.co/scb10x/llama-3-typhoon-v1.5-8b-audio-preview"
    ):
        import soundfile
        import torch
        from transformers import AutoModel

    model = AutoModel.from_pretrained(args.weights, torch_dtype=torch.float16, trust_remote_code=True)
    model = model.to(args.device).eval()
    user, assistant = (f"<|start_header_id|>{role}<|end_header_id|>\n\n" for role in ("user", "assistant"))
    pattern = f"<|begin_of_text|>{user}<Speech><SpeechHere></Speech> {{}}<|eot_id|>{assistant}"

    def reply(request: audiometry_pipe.Request) -> audiometry_pipe.Reply:
        sound, _ = soundfile.read(request.clip.path)
        with torch.no_grad():
            return model.generate(
                audio=sound,
                prompt=request.text,
                prompt_pattern=pattern,
                device=args.device,
                do_sample=False,
                max_length=1200,
                num_beams=1,
            )

    answer, terms = audiometry_pipe.each(reply), {"fixed_order": True, "needs_audio": True}
    audiometry_pipe.serve(answer, name=args.weights, rate=16000, longest_s=30, **terms)


if __name__ == "__main__":
    main()
