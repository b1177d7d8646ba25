"""Typhoon2-Audio (8B) behind audiometry's pipe. A skeleton: not run by us, it needs its weights and a GPU.

Code        with the weights (trust_remote_code); https://github.com/scb-10x/typhoon2-audio
Weights     scb10x/llama3.1-typhoon2-audio-8b-instruct on the Hugging Face hub
Needs       torch, transformers, soundfile, einops, fairseq (for its voice, which is loaded though nobody listens)
Rate        16 kHz mono, Thai and English
Limit       30 s: Whisper's encoder takes no more
Order       clip first, as its README does; no other, since we could not read whether its code heeds it
Template    its own, from a conversation; its README's system turn is left out
Decoding    its README's: sampling with temperature 0.7 and top_p 0.9, one beam, 500 new tokens
Text alone  refused: its README shows no question without a clip
Source      Mythixz/typhoon2-audio@05134f1 README.md (a copy; the project's own repository is not in the index)

    audiometry run mini --model "exec/ENV/bin/python skeletons/typhoon2_audio.py"
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
        weights=("scb10x/llama3.1-typhoon2-audio-8b-instruct", "name on the hub, or a folder"),
        device=("cuda", "where it runs"),
    )
    with audiometry_pipe.research_code("transformers with torch", "https://github.com/scb-10x/typhoon2-audio"):
        import torch
        from transformers import AutoModel

    model = AutoModel.from_pretrained(args.weights, torch_dtype=torch.float16, trust_remote_code=True)
    model.to(args.device)
    decoding = {"max_new_tokens": 500, "do_sample": True, "num_beams": 1, "top_p": 0.9, "temperature": 0.7}

    def reply(request: audiometry_pipe.Request) -> audiometry_pipe.Reply:
        parts = [
            {"type": "text", "text": part} if isinstance(part, str) else {"type": "audio", "audio_url": part.path}
            for part in request.parts
        ]
        with torch.no_grad():
            said = model.generate(conversation=[{"role": "user", "content": parts}], **decoding)
        return said["text"]  # it speaks as well, which is left out

    answer, terms = audiometry_pipe.each(reply), {"fixed_order": True, "needs_audio": True}
    audiometry_pipe.serve(answer, name=args.weights, rate=16000, longest_s=30, **terms)


if __name__ == "__main__":
    main()
