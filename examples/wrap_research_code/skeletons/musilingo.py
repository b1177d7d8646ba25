"""MusiLingo (7B) behind audiometry's pipe. A skeleton: not run by us, it needs its weights and a GPU.

Code        https://github.com/zihaod/MusiLingo
Weights     its checkpoints for short, long and MusicQA questions; m-a-p/MusiLingo-short-v1, -long-v1 and -musicqa-v1
            on the Hugging Face hub (CC BY 4.0) hold the same models. Beside them Vicuna 7B version 0 and
            m-a-p/MERT-v1-330M
Needs       Python 3.10 and the clone's requirements.txt
Rate        24 kHz mono music
Limit       none stands in its code; its evaluation hears clips of 10 s (MusicCaps) and crops of at most 15.5 s
Order       clip first, as its evaluation does; words first can be asked for
Template    its evaluation's (qa.py), which is not its demo's: ###Human: <Audio> clip </Audio> words ###Assistant:
Decoding    its evaluation's: sampling with temperature 0.1 and top_p 0.5, one beam, length penalty 100, 300 new tokens
Text alone  refused: its evaluation always hears something
Source      zihaod/MusiLingo@784a455 qa.py; @d2f70e6 musilingo/models/muvi_model.py,
            musilingo/conversation/conversation.py; @77a01b8 musilingo/datasets/datasets/musicqa_dataset.py

    audiometry run mini --model "exec/ENV/bin/python skeletons/musilingo.py --repo MusiLingo"
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
        vicuna=("model/7B_vicuna", "relative to the clone"),
        weights=("model/ckpt/musicqa/checkpoint_5.pth", "or …/short/…, …/long/…"),
    )
    with audiometry_pipe.research_code("MusiLingo", "https://github.com/zihaod/MusiLingo", args.repo):
        import torch
        import torchaudio
        from musilingo.conversation.conversation import StoppingCriteriaSub
        from musilingo.models.muvi_model import MusiLingo
        from transformers import StoppingCriteriaList, Wav2Vec2FeatureExtractor

    model = MusiLingo(llama_model=args.vicuna, prompt_template="###Human: {} ###Assistant: ")
    model.load_state_dict(torch.load(args.weights, map_location="cpu")["model"], strict=False)
    model = model.cuda().eval()
    tokenizer, llama = model.llama_tokenizer, model.llama_model
    extractor = Wav2Vec2FeatureExtractor.from_pretrained("m-a-p/MERT-v1-330M", trust_remote_code=True)
    signs = [torch.tensor(ids).cuda() for ids in ([835], [2277, 29937])]  # the two ways to write "###"
    stopping = StoppingCriteriaList([StoppingCriteriaSub(stops=signs)])
    start = llama.model.embed_tokens(torch.tensor([[tokenizer.bos_token_id]]).cuda())

    def reply(request: audiometry_pipe.Request) -> audiometry_pipe.Reply:
        sound, _ = torchaudio.load(request.clip.path)  # at the rate that is asked for below
        values = extractor(sound[0], sampling_rate=24000, return_tensors="pt")["input_values"]
        words = " ".join(filter(None, [request.before, "<Audio><AudioHere></Audio>", request.after]))
        with torch.no_grad():
            heard, mask = model.encode_audio(values.cuda())
            asked, _ = model.instruction_prompt_wrap(heard, mask, [model.prompt_template.format(words)])
            said = llama.generate(
                inputs_embeds=torch.cat([start, asked], dim=1),
                max_new_tokens=300,
                stopping_criteria=stopping,
                num_beams=1,
                do_sample=True,
                min_length=1,
                top_p=0.5,
                length_penalty=100,
                temperature=0.1,
            )
        text = tokenizer.decode(said[0], skip_special_tokens=True)
        return text.split("###")[0].split("Assistant:")[-1].strip()

    answer = audiometry_pipe.each(reply)
    audiometry_pipe.serve(answer, name=f"MusiLingo {args.weights}", rate=24000, needs_audio=True)


if __name__ == "__main__":
    main()
