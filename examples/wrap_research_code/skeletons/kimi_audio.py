"""Kimi-Audio (7B) behind audiometry's pipe. A skeleton: not run by us, it needs its weights and a GPU.

Code        https://github.com/MoonshotAI/Kimi-Audio (with its submodules)
Weights     moonshotai/Kimi-Audio-7B-Instruct on the Hugging Face hub; THUDM/glm-4-voice-tokenizer is fetched beside it
Needs       the clone's requirements.txt, torch, CUDA
Rate        16 kHz mono
Limit       600 s: its 7,500 places hold 12.5 a second, and nothing is left for a reply
Order       words first, as its README and its evaluation toolkit do; clip first can be asked for
Template    its prompt manager's own, one message for each part
Decoding    its evaluation toolkit's: greedy words (temperature 0), a repetition penalty of 1.1 (its README's is 1.0:
            --penalty 1.0); --max-tokens is obeyed
Text alone  refused: its README shows no question without a clip
Source      MoonshotAI/Kimi-Audio@faedaac kimia_infer/api/kimia.py; @0260b0b README.md;
            MoonshotAI/Kimi-Audio-Evalkit@ca0a742 almeval/models/kimi_audio.py

    audiometry run mini --model "exec/ENV/bin/python skeletons/kimi_audio.py --repo Kimi-Audio"
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
        weights=("moonshotai/Kimi-Audio-7B-Instruct", "name on the hub, or a folder"),
        penalty=(1.1, "the repetition penalty of words"),
    )
    with audiometry_pipe.research_code("Kimi-Audio", "https://github.com/MoonshotAI/Kimi-Audio", args.repo):
        from kimia_infer.api.kimia import KimiAudio

    model = KimiAudio(model_path=args.weights, load_detokenizer=False)
    decoding = {
        "audio_temperature": 0.8,
        "audio_top_k": 10,
        "text_temperature": 0.0,
        "text_top_k": 5,
        "audio_repetition_penalty": 1.0,
        "audio_repetition_window_size": 64,
        "text_repetition_penalty": args.penalty,
        "text_repetition_window_size": 16,
    }

    def reply(request: audiometry_pipe.Request) -> audiometry_pipe.Reply:
        messages = [
            {"role": "user", "message_type": "text", "content": part}
            if isinstance(part, str)
            else {"role": "user", "message_type": "audio", "content": part.path}
            for part in request.parts
        ]
        most = request.decoding.get("max_tokens", -1)
        _, said = model.generate(messages, output_type="text", max_new_tokens=most, **decoding)
        return said

    terms = {"part_order": "text-first", "needs_audio": True, "decoding": ["max_tokens"]}
    answer = audiometry_pipe.each(reply)
    audiometry_pipe.serve(answer, name=args.weights, rate=16000, longest_s=600, **terms)


if __name__ == "__main__":
    main()
