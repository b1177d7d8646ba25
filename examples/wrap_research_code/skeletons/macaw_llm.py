"""Macaw-LLM (7B) behind audiometry's pipe. A skeleton: not run by us, it needs its weights and a GPU.

Code        https://github.com/lyuchenyang/Macaw-LLM
Weights     behind the link "Model" of its README (readers have asked in its issue tracker where working ones are); the
            folders clip_model, whisper_model, llama_model and llama_tokenizer beside them have to be made
Needs       Python 3.8, the clone's requirements.txt, openai-whisper, ffmpeg, apex
Rate        16 kHz mono
Limit       30 s: its loader pads or cuts to that, so longer clips are refused here
Order       clip first, no other: its model puts what it heard behind the first token
Template    PROMPT_DICT["prompt_no_input"] of its preprocess_data_supervised. Its llm_trainer is left alone: importing
            it reads files of the training
Decoding    its model's: 128 new tokens, greedy unless its LLaMA's settings say otherwise; half precision
Text alone  answered, with silence for the spectrogram (zeros), as its inference does
Source      lyuchenyang/Macaw-LLM@4ca3f50 modeling.py; @8d41f30 run_clm_llms_inference.py; @e75f655 llm_trainer.py;
            @4a8e64c preprocess_data_supervised.py

    audiometry run mini --model "exec/ENV/bin/python skeletons/macaw_llm.py --repo Macaw-LLM --weights OUTPUT_DIR"
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
        weights=("trained_models/macaw", "folder of the trained model"),
        parts=("trained_models", "folder of clip_model, whisper_model, llama_model, llama_tokenizer"),
    )
    with audiometry_pipe.research_code("Macaw-LLM", "https://github.com/lyuchenyang/Macaw-LLM", args.repo):
        import torch
        import whisper
        from modeling import MM_LLMs, MM_LLMs_Config
        from preprocess_data_supervised import PROMPT_DICT
        from transformers import CLIPConfig, LlamaConfig, LlamaTokenizer, WhisperConfig

    parts = Path(args.parts)
    settings = MM_LLMs_Config(
        n_frames=6,
        attention_heads=8,
        clip_config=CLIPConfig.from_pretrained(parts / "clip_model"),
        whisper_config=WhisperConfig.from_pretrained(parts / "whisper_model"),
        llm_config=LlamaConfig.from_pretrained(parts / "llama_model"),
    )
    model = MM_LLMs.from_pretrained(args.weights, config=settings).half().cuda().eval()
    tokenizer = LlamaTokenizer.from_pretrained(parts / "llama_tokenizer")
    marks = {}
    for kind in ("image", "audio", "video"):
        for key, sign in ((f"{kind}_starts", f"<{kind}>"), (f"{kind}_ends", f"</{kind}>")):
            marks[key] = torch.tensor([tokenizer.convert_tokens_to_ids(sign)], dtype=torch.int).cuda()

    def reply(request: audiometry_pipe.Request) -> audiometry_pipe.Reply:
        mel = torch.zeros(80, 3000)
        if request.clip is not None:
            mel = whisper.log_mel_spectrogram(whisper.pad_or_trim(whisper.load_audio(request.clip.path)))
        words = PROMPT_DICT["prompt_no_input"].format(request.text)
        tokens = [token for token in tokenizer.encode(words) if token != tokenizer.eos_token_id]
        asked = {
            "audios": mel.unsqueeze(0).half().cuda(),
            "images": torch.zeros(1, 3, 224, 224).half().cuda(),  # nothing to see
            "videos": torch.zeros(1, 6, 3, 224, 224).half().cuda(),
            "input_ids": torch.tensor([tokens], dtype=torch.int).cuda(),
            "inference": True,
            **marks,
        }
        with torch.no_grad():
            said = model(asked)
        return tokenizer.batch_decode(said, skip_special_tokens=True)[0].strip()

    answer = audiometry_pipe.each(reply)
    audiometry_pipe.serve(answer, name="Macaw-LLM", rate=16000, longest_s=30, fixed_order=True)


if __name__ == "__main__":
    main()
