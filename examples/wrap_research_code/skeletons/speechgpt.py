"""SpeechGPT (7B) behind audiometry's pipe. A skeleton: not run by us, it needs its weights and a GPU.

Code        https://github.com/0nutation/SpeechGPT, folder `speechgpt`
Weights     fnlp/SpeechGPT-7B-cm and its adapter fnlp/SpeechGPT-7B-com on the Hugging Face hub; mHuBERT
            (mhubert_base_vp_en_es_fr_it3.pt and its L11_km1000.bin) and the unit vocoder, from links in its README
Needs       Python 3.8, the clone's requirements.txt, fairseq
Rate        16 kHz mono speech, as discrete units; other sounds are units of speech to it
Limit       none stands in its code
Order       words first, no other: it knows a clip by the path that ends the prompt
Template    its own instruction, [Human]: words, This is input: units <eoh>. [SpeechGPT]:
Decoding    its cli_infer's: sampling with temperature 0.7, top_p 0.8, top_k 50, 10 to 2048 new tokens
Text alone  answered: a prompt without a path is words to it
Source      0nutation/SpeechGPT@860de1c speechgpt/src/infer/cli_infer.py

    audiometry run mini --model "exec/ENV/bin/python skeletons/speechgpt.py --repo SpeechGPT --weights SpeechGPT-7B-cm"
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # where audiometry_pipe.py lies; or copy it beside this

import audiometry_pipe

audiometry_pipe.take_over()


def main() -> None:
    """Load, then answer."""
    args = audiometry_pipe.options(
        repo=(".", "the clone"),
        weights=("SpeechGPT-7B-cm", "folder of the model"),
        adapter=("SpeechGPT-7B-com", "folder of its adapter for dialogue; empty: none, which its authors do not do"),
        units=("speechgpt/utils/speech2unit/", "folder of mHuBERT"),
        vocoder=("speechgpt/utils/vocoder/", "folder of the unit vocoder"),
    )
    weights, adapter = (str(Path(given).resolve()) if given else None for given in (args.weights, args.adapter))
    with audiometry_pipe.research_code("SpeechGPT", "https://github.com/0nutation/SpeechGPT", args.repo):
        from speechgpt.src.infer import cli_infer

    cli_infer.sys = sys  # with torch 2 it asks `sys` for the platform, which it does not import
    folder = tempfile.mkdtemp(prefix="speechgpt-")
    model = cli_infer.SpeechGPTInference(weights, adapter, args.units, args.vocoder, folder)
    written = Path(folder) / "responses.json"

    def reply(request: audiometry_pipe.Request) -> audiometry_pipe.Reply:
        model([f"{request.text} This is input: {request.clip.path}" if request.clip else request.text])
        # it gives back sound; the words stand in the last line of the file that it keeps
        said = json.loads(written.read_text(encoding="utf-8").splitlines()[-1])
        return said["textAnswer"] or said["answer"]

    name = "SpeechGPT-7B-com" if adapter else "SpeechGPT-7B-cm"
    answer = audiometry_pipe.each(reply)
    audiometry_pipe.serve(answer, name=name, rate=16000, part_order="text-first", fixed_order=True)


if __name__ == "__main__":
    main()
