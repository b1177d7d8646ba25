"""NExT-GPT (7B) behind audiometry's pipe. A skeleton: not run by us, it needs its weights and a GPU.

Code        https://github.com/NExT-GPT/NExT-GPT, its first version, which lies in NExT-GPT-Lagacy/code (so spelled)
Weights     ChocoWu/nextgpt_7b_tiva_v0 on the Hugging Face hub (CC BY-NC-SA 4.0); beside it Vicuna 7B version 0 and
            imagebind_huge.pth (ImageBind)
Needs       the clone's requirements.txt
Rate        16 kHz mono
Limit       none is refused, but ImageBind listens to three windows of 2 s spread over the clip and to nothing else:
            where a clip is longer than that, the notes of the reply say how much was heard
Order       clip first, as its demo_app does; words first can be asked for
Template    ### Human: <Audio>path</Audio> words, line end, ### Assistant: (its generate puts the sound there)
Decoding    its demo_app's: sampling with top_p 0.01 and temperature 1.0, 246 new tokens, half precision. It is asked
            for no pictures, videos or sounds, so that all of its words come, also those beside [AUD]
Text alone  answered: a prompt without a path is words to it
Source      NExT-GPT/NExT-GPT@d403115 NExT-GPT-Lagacy/code/demo_app.py, inference.py, config/__init__.py;
            @8f8af85 code/model/anyToImageVideoAudio.py

    audiometry run mini --model "exec/ENV/bin/python skeletons/next_gpt.py --repo NExT-GPT/NExT-GPT-Lagacy/code"
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # where audiometry_pipe.py lies; or copy it beside this

import audiometry_pipe

audiometry_pipe.take_over()


def main() -> None:
    """Load, then answer."""
    args = audiometry_pipe.options(
        repo=(".", "the folder `code` of the first version"),
        weights=("../ckpt/delta_ckpt/nextgpt/7b_tiva_v0/", "relative to that folder"),
    )
    with audiometry_pipe.research_code("NExT-GPT", "https://github.com/NExT-GPT/NExT-GPT", args.repo):
        import torch
        from config import load_config
        from model.anyToImageVideoAudio import NextGPTModel

    settings = {
        "model": "nextgpt",
        "nextgpt_ckpt_path": args.weights,
        "max_length": 128,
        "stage": 3,
        "root_dir": "../",
        "mode": "validate",
    }
    settings.update(load_config(settings))
    model = NextGPTModel(**settings)
    delta = torch.load(Path(args.weights) / "pytorch_model.pt", map_location="cpu")
    model.load_state_dict(delta, strict=False)
    model = model.eval().half().cuda()

    def reply(request: audiometry_pipe.Request) -> audiometry_pipe.Reply:
        parts = [part if isinstance(part, str) else f"<Audio>{part.path}</Audio> " for part in request.parts]
        asked = {
            "prompt": "### Human: " + " ".join(parts),
            "top_p": 0.01,
            "temperature": 1.0,
            "max_tgt_len": 246,
            "stops_id": [[835]],  # how its tokenizer writes "###"
            "max_num_imgs": 0,
            "max_num_vids": 0,
            "max_num_auds": 0,
        }
        with torch.no_grad():
            (said,) = model.generate(asked)
        text = re.sub(r" ?\[(?:IMG|VID|AUD)\d+\]", "", said).replace("\n###", "").strip()
        seconds = max((clip.duration_s for clip in request.clips), default=0)
        return {"text": text, "notes": f"heard 6 of {seconds:.0f} s" if seconds > 6 else ""}

    audiometry_pipe.serve(audiometry_pipe.each(reply), name="NExT-GPT 7b_tiva_v0", rate=16000)


if __name__ == "__main__":
    main()
