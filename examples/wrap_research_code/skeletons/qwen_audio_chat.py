"""Qwen-Audio-Chat (7B) behind audiometry's pipe. A skeleton: not run by us, it needs its weights and a GPU.

Code        with the weights (trust_remote_code); https://github.com/QwenLM/Qwen-Audio says how to use it
Weights     Qwen/Qwen-Audio-Chat on the Hugging Face hub, qwen/QWen-Audio-Chat on ModelScope; its own licence
Needs       Python 3.8 or newer, torch 2, a transformers of its time (4.31 or 4.32), ffmpeg
Rate        16 kHz mono
Limit       30 s: its process_audio cuts there, so longer clips are refused here
Order       clip first, as its README does; words first can be asked for
Template    its chat's own (ChatML), the parts in their order, each clip numbered (Audio 1:)
Decoding    its generation_config: sampling with top_p 0.5, 512 new tokens
Text alone  answered: a list of words alone is a prompt to it
Source      QwenLM/Qwen-Audio@b50fb95 README.md; @0b0e882 tokenization_qwen.py, chat_generation_config.json

    audiometry run mini --model "exec/ENV/bin/python skeletons/qwen_audio_chat.py"
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
        weights=("Qwen/Qwen-Audio-Chat", "name on the hub, or a folder"), device=("cuda", "where it runs")
    )
    with audiometry_pipe.research_code("transformers with torch", "https://github.com/QwenLM/Qwen-Audio"):
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(args.weights, trust_remote_code=True)
    model = AutoModelForCausalLM.from_pretrained(args.weights, device_map=args.device, trust_remote_code=True).eval()

    def reply(request: audiometry_pipe.Request) -> audiometry_pipe.Reply:
        parts, last = [], len(request.parts) - 1
        for place, part in enumerate(request.parts):  # it ends the line behind a clip, and not behind words
            end = "" if place == last else "\n"
            parts.append({"text": part + end} if isinstance(part, str) else {"audio": part.path})
        with torch.no_grad():
            said, _ = model.chat(tokenizer, query=tokenizer.from_list_format(parts), history=None)
        return said

    audiometry_pipe.serve(audiometry_pipe.each(reply), name=args.weights, rate=16000, longest_s=30)


if __name__ == "__main__":
    main()
