"""PandaGPT (7B or 13B) behind audiometry's pipe. A skeleton: not run by us, it needs its weights and a GPU.

Code        https://github.com/yxuansu/PandaGPT, folder `code` (Apache-2.0)
Weights     openllmplayground/pandagpt_7b_max_len_1024 (or _13b_max_len_400) on the Hugging Face hub, CC BY-NC 4.0;
            beside it Vicuna version 0 made from LLaMA, and imagebind_huge.pth (ImageBind)
Needs       Python 3.9 or newer and the clone's requirements.txt, torch 1.13.1; pytorchvideo from source
Rate        16 kHz mono
Limit       none is refused, but ImageBind listens to three windows of 2 s spread over the clip and to nothing else:
            where a clip is longer than that, the notes of the reply say how much was heard
Order       clip first, no other: its template puts what it heard before the words
Template    ### Human: <Img> clip </Img> words, line end, ### Assistant: (made by its generate)
Decoding    its web demo's: sampling with top_p 0.01 and temperature 1.0, 256 new tokens, half precision
Text alone  refused: its generate joins what was heard, and fails where nothing was
Source      yxuansu/PandaGPT@735b90c code/model/openllama.py, code/model/ImageBind/data.py; @8abd9a4 code/web_demo.py

    audiometry run mini --model "exec/ENV/bin/python skeletons/pandagpt.py --repo PandaGPT/code"
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
        repo=(".", "the folder `code` of the clone"),
        imagebind=("../pretrained_ckpt/imagebind_ckpt/", "relative to that folder"),
        vicuna=("../pretrained_ckpt/vicuna_ckpt/7b_v0", "relative to that folder"),
        delta=("../pretrained_ckpt/pandagpt_ckpt/7b/pytorch_model.pt", "relative to that folder"),
    )
    with audiometry_pipe.research_code("PandaGPT", "https://github.com/yxuansu/PandaGPT", args.repo):
        import torch
        from model.openllama import OpenLLAMAPEFTModel

    model = OpenLLAMAPEFTModel(
        imagebind_ckpt_path=args.imagebind,
        vicuna_ckpt_path=args.vicuna,
        stage=2,
        max_tgt_len=128,
        lora_r=32,
        lora_alpha=32,
        lora_dropout=0.1,
    )
    model.load_state_dict(torch.load(args.delta, map_location="cpu"), strict=False)
    model = model.eval().half().cuda()

    def reply(request: audiometry_pipe.Request) -> audiometry_pipe.Reply:
        asked = {
            "prompt": request.text,
            "image_paths": [],
            "audio_paths": [request.clip.path],
            "video_paths": [],
            "thermal_paths": [],
            "top_p": 0.01,
            "temperature": 1.0,
            "max_tgt_len": 256,
            "modality_embeds": [],
        }
        with torch.no_grad():
            said = model.generate(asked)
        seconds = request.clip.duration_s
        return {"text": said, "notes": f"heard 6 of {seconds:.0f} s" if seconds > 6 else ""}

    answer, name = audiometry_pipe.each(reply), f"PandaGPT {Path(args.delta).parent.name}"
    audiometry_pipe.serve(answer, name=name, rate=16000, fixed_order=True, needs_audio=True)


if __name__ == "__main__":
    main()
