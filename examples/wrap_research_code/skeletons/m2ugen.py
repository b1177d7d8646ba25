"""M2UGen (7B) behind audiometry's pipe. A skeleton: not run by us, it needs its weights and a GPU.

Code        https://github.com/shansongliu/M2UGen (also crypto-code/M2UGen), folder `M2UGen`
Weights     M2UGen/M2UGen-MusicGen-medium on the Hugging Face hub (checkpoint.pth, about 31 GB; MIT), LLaMA-2 7B from
            Meta, m-a-p/MERT-v1-330M, and the ViT, ViViT and MusicGen models that its code names
Needs       Python 3.9.17, the clone's requirements.txt, torch 2.1, NVIDIA driver 12 or newer
Rate        24 kHz mono music
Limit       60 s: its encode_audio steps over minutes as if they were seconds and hears the first 60 s alone, so
            longer clips are refused here
Order       clip first, no other: the clip is no part of the words, so there is no order to choose
Template    llama.format_prompt
Decoding    its inference.py's: sampling with temperature 0.6 and top_p 0.8, 512 new tokens; its generate keeps the
            first line of a reply alone
Text alone  answered: its generate takes None for the clip
Source      shansongliu/M2UGen@cebe8dd M2UGen/llama/m2ugen.py; @91e23cf M2UGen/inference.py; @218c92d
            M2UGen/llama/utils.py

    audiometry run mini --model "exec/ENV/bin/python skeletons/m2ugen.py --repo M2UGen/M2UGen"
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
        repo=(".", "the folder `M2UGen` inside the clone"),
        weights=("ckpts/M2UGen-MusicGen-medium/checkpoint.pth", "relative to that folder"),
        llama_dir=("ckpts/LLaMA-2", "folder of LLaMA-2"),
        mert_path=("m-a-p/MERT-v1-330M", "name on the hub, or a folder"),
        vit_path=("google/vit-base-patch16-224-in21k", "name on the hub, or a folder"),
        vivit_path=("google/vivit-b-16x2-kinetics400", "name on the hub, or a folder"),
        music_decoder=("musicgen", "or audioldm2"),
        music_decoder_path=("facebook/musicgen-medium", "name on the hub, or a folder"),
    )
    with audiometry_pipe.research_code("M2UGen", "https://github.com/shansongliu/M2UGen", args.repo):
        import llama
        import torch
        import torchaudio
        from llama.m2ugen import M2UGen

    llama_7b = str(Path(args.llama_dir) / "7B")
    model = M2UGen(llama_7b, args.llama_dir, args, knn=False, stage=3, load_llama=False)  # it reads the paths of `args`
    kept = torch.load(args.weights, map_location="cpu")["model"]
    model.load_state_dict({key.replace("module.", ""): value for key, value in kept.items()}, strict=True)
    model = model.eval().to("cuda")

    def reply(request: audiometry_pipe.Request) -> audiometry_pipe.Reply:
        sound = None
        if request.clip is not None:  # at the rate that is asked for below
            sound = torch.mean(torchaudio.load(request.clip.path)[0], 0)
        tokens = [model.tokenizer(llama.format_prompt(request.text)).input_ids]
        said = model.generate(tokens, sound, None, None, 512, 0.6, 0.8)[0]  # words first, then music if it made any
        return re.sub(r"\[AUD\d+\]", "", said).strip()

    answer = audiometry_pipe.each(reply)
    audiometry_pipe.serve(answer, name="M2UGen-MusicGen-medium", rate=24000, longest_s=60, fixed_order=True)


if __name__ == "__main__":
    main()
