"""Recordings as browsers and phones send them, made by PyAV."""

import io

import av
import numpy as np

RATE = 48_000


def tone(seconds=1.0, hertz=523.25, amplitude=0.25, rate=RATE):
    return (amplitude * np.sin(2 * np.pi * hertz * np.arange(round(seconds * rate)) / rate)).astype(np.float32)


def coded(samples, form="webm", codec="libopus", *, rate=RATE, tags=None, tracks=1):
    """A file with these samples, float32 of shape (frames,) or (channels, frames)."""
    samples = np.ascontiguousarray(np.atleast_2d(samples), np.float32)
    layout = ("mono", "stereo", "2.1")[len(samples) - 1]
    out = io.BytesIO()
    with av.open(out, "w", format=form) as container:
        container.metadata.update(tags or {})
        streams = [container.add_stream(codec, rate=rate, layout=layout) for _ in range(tracks)]
        for stream in streams:
            frame = av.AudioFrame.from_ndarray(samples, format="fltp", layout=layout)
            frame.sample_rate, frame.pts = rate, 0
            resampler = av.AudioResampler(format=stream.codec_context.format.name, layout=layout, rate=rate)
            for part in [*resampler.resample(frame), *resampler.resample(None), None]:
                container.mux(stream.encode(part))
    return out.getvalue()
