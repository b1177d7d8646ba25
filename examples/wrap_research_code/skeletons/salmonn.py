"""SALMONN (13B or 7B) behind audiometry's pipe. A skeleton: not run by us, it needs its weights and a large GPU.

Code        https://github.com/bytedance/SALMONN, branch `salmonn` (Apache-2.0); the other branches are other models
Weights     tsinghua-ee/SALMONN, file salmonn_v1.pth (13B), or tsinghua-ee/SALMONN-7B, on the Hugging Face hub; beside
            it openai/whisper-large-v2, lmsys/vicuna-13b-v1.1, and BEATs_iter3_plus_AS2M_finetuned_on_AS2M_cpt2.pt.
            Their paths belong into configs/decode_config.yaml of the clone
Needs       Python 3.9 and the clone's requirements.txt; its authors used one A100 of 80 GB. If init_speech_Qformer
            names a folder of its authors' machine, put bert-base-uncased there
Rate        16 kHz mono
Limit       30 s: its loader (utils.prepare_one_sample) drops the rest, so longer clips are refused here
Order       clip first, as its cli_inference does; words first can be asked for
Template    prompt_template of its configuration, the clip between <Speech> and </Speech>
Decoding    its configuration's: 4 beams, no sampling, 200 new tokens
Text alone  refused: its generate always hears something
Source      bytedance/SALMONN@82a7462 models/salmonn.py; @07e982a config.py, utils.py; @48ba483
            configs/decode_config.yaml; the branches: its README

    audiometry run mini --model "exec/ENV/bin/python skeletons/salmonn.py --repo SALMONN"
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # where audiometry_pipe.py lies; or copy it beside this

import audiometry_pipe

audiometry_pipe.take_over()


def main() -> None:
    """Load, then answer."""
    args = audiometry_pipe.options(
        repo=(".", "the clone"),
        cfg_path=("configs/decode_config.yaml", "relative to the clone"),
        options=("", "changes to the configuration, key=value, blanks between them"),
        device=("cuda:0", "where it runs"),
    )
    with audiometry_pipe.research_code("SALMONN", "https://github.com/bytedance/SALMONN/tree/salmonn", args.repo):
        import torch
        from config import Config
        from models.salmonn import SALMONN
        from transformers import WhisperFeatureExtractor
        from utils import prepare_one_sample

    settings = Config(SimpleNamespace(cfg_path=args.cfg_path, options=args.options.split())).config
    model = SALMONN.from_config(settings.model).to(args.device).eval()
    extractor = WhisperFeatureExtractor.from_pretrained(settings.model.whisper_path)

    def reply(request: audiometry_pipe.Request) -> audiometry_pipe.Reply:
        sound = prepare_one_sample(request.clip.path, extractor, cuda_enabled=args.device.startswith("cuda"))
        words = " ".join(filter(None, [request.before, "<Speech><SpeechHere></Speech>", request.after]))
        with torch.no_grad(), torch.cuda.amp.autocast(dtype=torch.float16):
            said = model.generate(sound, settings.generate, prompts=[settings.model.prompt_template.format(words)])[0]
        return said.replace("<s>", "").replace("</s>", "").strip()  # it decodes the marks of start and end as well

    answer = audiometry_pipe.each(reply)
    audiometry_pipe.serve(answer, name=f"SALMONN {settings.model.ckpt}", rate=16000, longest_s=30, needs_audio=True)


if __name__ == "__main__":
    main()
