"""MU-LLaMA (MuLLaMa, 7B) behind audiometry's pipe. A skeleton: not run by us, it needs its weights and a GPU.

Code        https://github.com/shansongliu/MU-LLaMA, folder `MU-LLaMA`
Weights     mu-llama/MU-LLaMA on the Hugging Face hub (checkpoint.pth), LLaMA-2 7B from Meta, m-a-p/MERT-v1-330M;
            csuhan/knn (knn.index) is fetched when it starts
Needs       the clone's requirements; torchaudio, faiss
Rate        24 kHz mono music
Limit       60 s: its encode_audio steps over minutes as if they were seconds and hears the first 60 s alone, so
            longer clips are refused here
Order       clip first, no other: the clip is no part of the words, so there is no order to choose
Template    llama.format_prompt
Decoding    its inference.py's: sampling with temperature 0.6 and top_p 0.8, 512 new tokens, no cache of neighbours
            (weight 0; its evaluation takes 0.2 and 1024 tokens)
Text alone  refused: its generate always hears something
Source      shansongliu/MU-LLaMA@a832b54 MU-LLaMA/llama/llama_adapter.py; @5db01c1 MU-LLaMA/inference.py; @10b81a6
            MU-LLaMA/data/utils.py, MU-LLaMA/llama/utils.py; @7d47568 ModelEvaluations/generate_mullama.py

    audiometry run mini --model "exec/ENV/bin/python skeletons/mu_llama.py --repo MU-LLaMA/MU-LLaMA"
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
        repo=(".", "the folder `MU-LLaMA` inside the clone"),
        weights=("ckpts/checkpoint.pth", "relative to that folder"),
        llama_dir=("ckpts/LLaMA", "folder of LLaMA-2"),
        mert=("m-a-p/MERT-v1-330M", "name on the hub, or a folder"),
        knn_dir=("ckpts", "folder of knn.index"),
    )
    with audiometry_pipe.research_code("MU-LLaMA", "https://github.com/shansongliu/MU-LLaMA", args.repo):
        import llama
        import torch
        from data.utils import load_and_transform_audio_data

    where = {"mert_path": args.mert, "knn": True, "knn_dir": args.knn_dir, "llama_type": "7B"}
    model = llama.load(args.weights, args.llama_dir, **where).eval()

    def reply(request: audiometry_pipe.Request) -> audiometry_pipe.Reply:
        sounds = {"Audio": [load_and_transform_audio_data([request.clip.path]), 1]}
        tokens = [model.tokenizer.encode(llama.format_prompt(request.text), bos=True, eos=False)]
        cache = {"cache_size": 100, "cache_t": 20.0, "cache_weight": 0.0}
        with torch.cuda.amp.autocast():
            said = model.generate(sounds, tokens, max_gen_len=512, temperature=0.6, top_p=0.8, **cache)
        return said[0].strip()

    answer, terms = audiometry_pipe.each(reply), {"fixed_order": True, "needs_audio": True}
    audiometry_pipe.serve(answer, name="MU-LLaMA-7B", rate=24000, longest_s=60, **terms)


if __name__ == "__main__":
    main()
