"""Step-Audio 2 mini (8B) behind audiometry's pipe. A skeleton: not run by us, it needs its weights and a GPU.

Code        https://github.com/stepfun-ai/Step-Audio2 (Step-Audio-R1 answers over vLLM: use vllm/ for that one)
Weights     stepfun-ai/Step-Audio-2-mini on the Hugging Face hub
Needs       the clone's requirements, torch, CUDA
Rate        16 kHz mono
Limit       none stands in its code: it hears pieces of 25 s one after the other
Order       clip first, as its example of an MMAU question does; words first can be asked for
Template    its own: <|BOT|>system, <|BOT|>human with the parts in their order, <|BOT|>assistant; for such questions its
            makers' system turn calls it an expert in audio: --system takes one
Decoding    as in its example of an MMAU question: beams of 2, no sampling, 256 new tokens; --max-tokens and
            --temperature (which samples, without beams) are obeyed
Text alone  answered
Source      stepfun-ai/Step-Audio2@c22bfad stepaudio2.py; yuekaizhang/Step-Audio2@04ffc50 examples.py (a copy: that file
            of the project's own repository is not in the index)

    audiometry run mini --model "exec/ENV/bin/python skeletons/step_audio_2.py --repo Step-Audio2"
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
        weights=("Step-Audio-2-mini", "folder of the model"),
        system=("You are a helpful assistant.", "the system turn; empty: none"),
    )
    with audiometry_pipe.research_code("Step-Audio 2", "https://github.com/stepfun-ai/Step-Audio2", args.repo):
        from stepaudio2 import StepAudio2

    model = StepAudio2(args.weights)
    before = [{"role": "system", "content": args.system}] if args.system else []

    def reply(request: audiometry_pipe.Request) -> audiometry_pipe.Reply:
        parts = [
            {"type": "text", "text": part} if isinstance(part, str) else {"type": "audio", "audio": part.path}
            for part in request.parts
        ]
        messages = [*before, {"role": "human", "content": parts}, {"role": "assistant", "content": None}]
        temperature = request.decoding.get("temperature", 0)
        how = {"do_sample": True, "temperature": temperature} if temperature else {"num_beams": 2}
        _, said, _ = model(messages, max_new_tokens=request.decoding.get("max_tokens", 256), **how)
        return said

    name, answer = Path(args.weights).name, audiometry_pipe.each(reply)
    decoding = ["temperature", "max_tokens"]
    audiometry_pipe.serve(answer, name=name, rate=16000, decoding=decoding)


if __name__ == "__main__":
    main()
