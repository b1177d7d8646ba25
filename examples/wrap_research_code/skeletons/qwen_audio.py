"""Qwen-Audio (7B, the base model) behind audiometry's pipe. A skeleton: not run by us, it needs its weights and a GPU.

Code        with the weights (trust_remote_code); https://github.com/QwenLM/Qwen-Audio says how to use it
Weights     Qwen/Qwen-Audio on the Hugging Face hub, qwen/QWen-Audio on ModelScope; its own licence
Needs       Python 3.8 or newer, torch 2, a transformers of its time (4.31 or 4.32), ffmpeg
Rate        16 kHz mono
Limit       30 s: its process_audio cuts there, so longer clips are refused here
Order       clip first, no other: its tags follow the clip
Template    the tags of its evaluation of questions on sounds: <audio>path</audio>, <|startofanalysis|>, language,
            <|question|> words <|answer|>
Decoding    that evaluation's: greedy; 512 new tokens as its generation_config has it (that evaluation, of one-word
            answers, takes 4). --max-tokens is obeyed
Text alone  refused: no tags of its own are for words alone
Source      QwenLM/Qwen-Audio@e81cc26 eval_audio/evaluate_aqa.py; @b50fb95 README.md; @0b0e882
            tokenization_qwen.py, base_generation_config.json

    audiometry run mini --model "exec/ENV/bin/python skeletons/qwen_audio.py"
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
        weights=("Qwen/Qwen-Audio", "name on the hub, or a folder"),
        language=("en", "of the questions, as its tags write it"),
        device=("cuda", "where it runs"),
    )
    with audiometry_pipe.research_code("transformers with torch", "https://github.com/QwenLM/Qwen-Audio"):
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(args.weights, trust_remote_code=True)
    model = AutoModelForCausalLM.from_pretrained(args.weights, device_map=args.device, trust_remote_code=True).eval()

    def reply(request: audiometry_pipe.Request) -> audiometry_pipe.Reply:
        tags = f"<|startofanalysis|><|{args.language}|><|question|>{request.text}<|answer|>"
        query = f"<audio>{request.clip.path}</audio>{tags}"
        heard = tokenizer.process_audio(query)
        tokens = tokenizer(query, return_tensors="pt", audio_info=heard)
        with torch.no_grad():
            said = model.generate(
                input_ids=tokens.input_ids.to(model.device),
                attention_mask=tokens.attention_mask.to(model.device),
                audio_info=heard,
                do_sample=False,
                max_new_tokens=request.decoding.get("max_tokens", 512),
                pad_token_id=tokenizer.eod_id,
                eos_token_id=tokenizer.eod_id,
            )
        return tokenizer.decode(said[0, tokens.input_ids.size(1) :], skip_special_tokens=True).strip()

    answer = audiometry_pipe.each(reply)
    terms = {"rate": 16000, "longest_s": 30, "fixed_order": True, "needs_audio": True, "decoding": ["max_tokens"]}
    audiometry_pipe.serve(answer, name=args.weights, **terms)


if __name__ == "__main__":
    main()
