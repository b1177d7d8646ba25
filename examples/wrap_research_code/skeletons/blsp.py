"""BLSP (7B) behind audiometry's pipe. A skeleton: not run by us, it needs its weights and a GPU.

Code        https://github.com/cwang621/blsp, folder `blsp` (Apache-2.0)
Weights     damo/blsp_lslm_7b on ModelScope; built on LLaMA-2 7B and Whisper small, whose licences apply
Needs       Python 3.8, torch 1.13, transformers 4.31, as its README lists them
Rate        16 kHz mono; it was trained on speech alone
Limit       30 s: Whisper's extractor drops the rest, so longer clips are refused here
Order       words first, as its generate.py does; clip first can be asked for
Template    ###[Human]: words and clip, three line ends, ###[Assistant]:
Decoding    its generate.py's: greedy, 128 new tokens
Text alone  answered: its generate.py leaves the clip out where there is none
Source      cwang621/blsp@61aa8ac blsp/generate.py, blsp/src/modeling_blsp.py

    audiometry run mini --model "exec/ENV/bin/python skeletons/blsp.py --repo blsp/blsp --weights blsp_lslm_7b"
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
        repo=(".", "the folder `blsp` inside the clone"), weights=("blsp_lslm_7b", "folder of the checkpoint")
    )
    weights = str(Path(args.weights).resolve())
    with audiometry_pipe.research_code("BLSP", "https://github.com/cwang621/blsp", args.repo):
        import torch
        from src.modeling_blsp import BlspModel
        from src.speech_text_paired_dataset import get_waveform
        from transformers import GenerationConfig, LlamaTokenizer, WhisperFeatureExtractor

    tokenizer = LlamaTokenizer.from_pretrained(weights)
    extractor = WhisperFeatureExtractor.from_pretrained(weights)
    model = BlspModel.from_pretrained(weights).cuda().eval()
    special = {name: getattr(tokenizer, name) for name in ("pad_token_id", "bos_token_id", "eos_token_id")}
    decoding = GenerationConfig(max_new_tokens=128, min_new_tokens=1, do_sample=False, num_beams=1, **special)

    def reply(request: audiometry_pipe.Request) -> audiometry_pipe.Reply:
        before = tokenizer(f"###[Human]:{request.before}", return_tensors="pt").input_ids.cuda()
        after = tokenizer(f"{request.after}\n\n\n###[Assistant]:", return_tensors="pt").input_ids[:, 1:].cuda()
        heard = {}
        if request.clip is not None:
            wave = get_waveform(request.clip.path, output_sample_rate=extractor.sampling_rate)
            found = extractor(
                wave, sampling_rate=extractor.sampling_rate, return_attention_mask=True, return_tensors="pt"
            )
            heard = {
                "speech_values": found.input_features.cuda(),
                "speech_attention_mask": found.attention_mask.cuda(),
            }
        with torch.no_grad():
            said = model.generate(input_ids=before, suffix_input_ids=after, generation_config=decoding, **heard)
        return tokenizer.decode(said[0], skip_special_tokens=True)

    answer = audiometry_pipe.each(reply)
    audiometry_pipe.serve(answer, name="BLSP-7B", rate=16000, longest_s=30, part_order="text-first")


if __name__ == "__main__":
    main()
