"""Step-Audio-Chat (130B) behind audiometry's pipe. A skeleton: not run by us, it needs its weights and several GPUs.

Code        https://github.com/stepfun-ai/Step-Audio
Weights     stepfun-ai/Step-Audio-Chat, stepfun-ai/Step-Audio-Tokenizer and stepfun-ai/Step-Audio-TTS-3B (its voice,
            which is loaded though nobody listens) on the Hugging Face hub
Needs       the clone's requirements.txt, torch, CUDA
Rate        any, mono: its tokenizer is told the rate
Limit       none stands in its code
Order       words first, no other: Kimi-Audio's evaluation toolkit puts them into the system turn, the clip into the
            user's, and its template has one content a turn
Template    its own: <|BOT|>system words <|EOT|> <|BOT|>human clip <|EOT|> <|BOT|>assistant
Decoding    its own: sampling with temperature 0.7 and top_p 0.9, 2048 new tokens
Text alone  answered: words alone are the user's turn
Source      stepfun-ai/Step-Audio@48ba49c stepaudio.py; MoonshotAI/Kimi-Audio-Evalkit@ca0a742
            almeval/models/step_audio.py

    audiometry run mini --model "exec/ENV/bin/python skeletons/step_audio.py --repo Step-Audio"
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
        weights=("Step-Audio-Chat", "folder of the model"),
        tokenizer=("Step-Audio-Tokenizer", "folder of the tokenizer of sounds"),
        voice=("Step-Audio-TTS-3B", "folder of its voice"),
    )
    with audiometry_pipe.research_code("Step-Audio", "https://github.com/stepfun-ai/Step-Audio", args.repo):
        from stepaudio import StepAudio

    model = StepAudio(tokenizer_path=args.tokenizer, tts_path=args.voice, llm_path=args.weights)

    def reply(request: audiometry_pipe.Request) -> audiometry_pipe.Reply:
        messages = [{"role": "user", "content": request.text}]
        if request.clip is not None:
            heard = {"role": "user", "content": {"type": "audio", "audio": request.clip.path}}
            messages = [{"role": "system", "content": request.text}, heard]
        tokens = model.llm_tokenizer.encode(model.apply_chat_template(messages), return_tensors="pt").to("cuda")
        said = model.llm.generate(tokens, max_new_tokens=2048, temperature=0.7, top_p=0.9, do_sample=True)
        return model.llm_tokenizer.decode(said[0, tokens.shape[-1] : -1])  # without the sign of the end

    answer, name = audiometry_pipe.each(reply), Path(args.weights).name
    audiometry_pipe.serve(answer, name=name, rate=None, part_order="text-first", fixed_order=True)


if __name__ == "__main__":
    main()
