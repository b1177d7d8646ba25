"""DiVA Llama 3 (8B) behind audiometry's pipe. A skeleton: not run by us, it needs its weights and a GPU.

Code        with the weights (trust_remote_code)
Weights     WillHeld/DiVA-llama-3-v0-8b on the Hugging Face hub (MPL-2.0); built on meta-llama/Llama-3.1-8B-Instruct,
            to which access has to be asked for
Needs       torch, transformers, librosa, datasets
Rate        16 kHz mono speech
Limit       30 s: Whisper's extractor drops the rest, so longer clips are refused here
Order       words first, no other: they stand in the system turn, the clip in the user's
Template    Llama's own chat (made by its generate)
Decoding    its default: greedy, 128 new tokens; --max-tokens is obeyed. One prompt at a time: a batch is padded inside
            the prompt without a mask, so that a reply would depend on its neighbours
Text alone  refused: its generate always hears something
Source      modeling_diva.py beside the weights, as a public copy has it; the index names no commit of it. It agrees
            with the calls of SALT-NLP/talk-arena@23914f0 src/talk_arena/streaming_helpers.py (there 256 new tokens)

    audiometry run mini --model "exec/ENV/bin/python skeletons/diva.py"
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # where audiometry_pipe.py lies; or copy it beside this

import audiometry_pipe

audiometry_pipe.take_over()


def main() -> None:
    """Load, then answer."""
    args = audiometry_pipe.options(weights=("WillHeld/DiVA-llama-3-v0-8b", "name on the hub, or a folder"))
    with audiometry_pipe.research_code(
        "transformers with torch and librosa", "https://huggingface.co/WillHeld/DiVA-llama-3-v0-8b"
    ):
        import librosa
        import torch
        from transformers import AutoModel

    model = AutoModel.from_pretrained(args.weights, trust_remote_code=True)

    def reply(request: audiometry_pipe.Request) -> audiometry_pipe.Reply:
        clip, _ = librosa.load(request.clip.path, sr=16000)
        with torch.no_grad():
            return model.generate([clip], [request.text], max_new_tokens=request.decoding.get("max_tokens", 128))[0]

    audiometry_pipe.serve(
        audiometry_pipe.each(reply),
        name=args.weights,
        rate=16000,
        longest_s=30,
        part_order="text-first",
        fixed_order=True,
        needs_audio=True,
        decoding=["max_tokens"],
    )


if __name__ == "__main__":
    main()
