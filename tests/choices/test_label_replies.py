"""What is read where a task has labels: a table of replies as models give them, by task."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiometry.choices.labels import label_names, read_label

REFUSES = "refuses"
EMOTION = (
    "What is the emotion of the speaker: angry, happy, sad, neutral, surprised or fearful?",
    ["angry", "happy", "sad", "neutral", "surprised", "fearful"],
    {
        "angry": ["furious", "mad", "irritated", "rage", "frustrated", "annoyed"],
        "happy": ["joyful", "joy", "cheerful", "excited", "delighted"],
        "sad": ["sorrowful", "melancholic", "depressed", "unhappy"],
        "neutral": ["calm", "no emotion", "emotionless", "flat"],
        "fearful": ["afraid", "scared", "anxious"],
    },
    [
        ("angry", "angry"),
        ("Angry.", "angry"),
        ("**Anger**", "angry"),
        ("The speaker sounds furious.", "angry"),
        ("Emotion: Sadness", "sad"),
        ("The emotion expressed is **happiness**.", "happy"),
        ('{"emotion": "neutral"}', "neutral"),
        ('```json\n{"answer": "fearful"}\n```', "fearful"),
        ("<think>It could be angry, or sad.</think>\nsad", "sad"),
        ("Hmm, maybe happy? No.</think> The speaker is annoyed.", "angry"),
        ("<answer>surprise</answer>", "surprised"),
        (r"\boxed{happy}", "happy"),
        ("She is not happy; she is sad.", "sad"),
        ("The tone is neither angry nor happy.", None),
        ("It is not angry.", None),
        ("angry or sad", None),
        ("The speaker sounds happy and surprised.", None),
        ("A mixture of anger and sadness.", None),
        ("Either neutral or sad, it is hard to say which.", None),
        ("The man is shouting, so I would say he is mad.", "angry"),
        ("I think the speaker is scared.", "fearful"),
        ("He sounds unhappy.", "sad"),
        ("The speaker is calm and shows no emotion.", "neutral"),
        ('The man says "I am so happy that you came" in a sad voice.', "sad"),
        ('The speaker says "I am really happy today".', None),
        ("“I was so scared last night”, she says, in a cheerful voice.", "happy"),
        ('I hear "why are you always so angry with me".', None),
        ('Transcript: "I am not sad at all."\nEmotion: neutral', "neutral"),
        ('The one word for it is "happy".', "happy"),
        ("I'm sorry, but I can't determine the emotion of the speaker.", REFUSES),
        ("I cannot tell whether the speaker is happy or sad.", REFUSES),
        ("I'm unable to process audio files.", REFUSES),
        ("As an AI I can't identify emotions, but it sounds angry.", "angry"),
        ("The clip is a person talking about the weather.", None),
        ("", None),
        ("…", None),
        ("What is the emotion of the speaker: angry, happy, sad, neutral, surprised or fearful? sad", "sad"),
        ("The options are angry, happy, sad, neutral, surprised, fearful. The answer is fearful.", "fearful"),
        ("The speaker is frustrated rather than sad.", "angry"),
        ("At first sad, but actually it is anger.", "angry"),
        ("neutral (confidence 0.8)", "neutral"),
        ("The emotion is surprised, with a hint of a smile.", "surprised"),
        ("1. angry", "angry"),
        ("HAPPY!!!", "happy"),
        ("agnry", "angry"),
        ("The third option", None),
        ("bored", None),
        ("The speaker seems to be in an excited mood.", "happy"),
        ("Sadly, the clip has no speech.", None),
    ],
)
SEX = (
    "Is the speaker male or female?",
    ["male", "female"],
    {"male": ["man", "boy", "masculine", "gentleman", "he"], "female": ["woman", "girl", "feminine", "lady", "she"]},
    [
        ("female", "female"),
        ("The speaker is a woman.", "female"),
        ("It's a man's voice.", "male"),
        ("Male", "male"),
        ("Based on the pitch, the speaker is most likely male.", "male"),
        ("The voice is feminine.", "female"),
        ("It is not a man but a woman.", "female"),
        ("A man and a woman are talking.", None),
        ("I can't determine a person's sex from their voice.", REFUSES),
        ("I'm not able to identify whether the speaker is male or female.", REFUSES),
        ("I don't make assumptions about a speaker's gender.", REFUSES),
        ("It would be inappropriate to guess the gender of a person from a recording.", REFUSES),
        ("male/female", None),
        ("The speaker identifies as non-binary.", None),
        ("gender: F", None),
    ],
)
AGE = (
    "How old is the speaker?",
    ["teens", "twenties", "thirties", "sixties"],
    {
        "teens": ["teenager", "13-19"],
        "twenties": ["20s", "20-29"],
        "thirties": ["30s", "30-39"],
        "sixties": ["60s", "60-69"],
    },
    [
        ("twenties", "twenties"),
        ("The speaker is in their 20s.", "twenties"),
        ("30-39", "thirties"),
        ("The person sounds like a teenager.", "teens"),
        ("Probably in her thirties.", "thirties"),
        ("twenties or thirties", None),
        ("Age group: 60s", "sixties"),
        ("I cannot determine the speaker's age.", REFUSES),
        ("45", None),
    ],
)
INTENT = (
    "Which intent does the request have?",
    ["alarm_set", "alarm_remove", "weather_query", "play_music", "calendar_set", "general_joke"],
    {"alarm_set": ["set an alarm"], "weather_query": ["weather"], "general_joke": ["joke"]},
    [
        ("alarm_set", "alarm_set"),
        ("alarm set", "alarm_set"),
        ("Intent: `weather_query`", "weather_query"),
        ("The user wants to set an alarm.", "alarm_set"),
        ("The intent is **play_music**.", "play_music"),
        ("alarm_remove, since she wants to delete it", "alarm_remove"),
        ("calendar_set\n\nThe user asks for a meeting to be entered.", "calendar_set"),
        ('The user says "play the song set an alarm", so the intent is play_music.', "play_music"),
        ("The intent is not alarm_set, it is alarm_remove.", "alarm_remove"),
        ("alarm_set or calendar_set", None),
        ("email_send", None),
    ],
)
SARCASM = (
    "Is it sarcastic?",
    ["sarcastic", "not sarcastic"],
    {"sarcastic": ["sarcasm"], "not sarcastic": ["sincere", "non-sarcastic", "no sarcasm"]},
    [
        ("Sarcastic", "sarcastic"),
        ("not sarcastic", "not sarcastic"),
        ("The utterance is not sarcastic.", "not sarcastic"),
        ("The speaker uses sarcasm.", "sarcastic"),
        ("There is no sarcasm in it.", "not sarcastic"),
        ("It is sincere.", "not sarcastic"),
        ("non-sarcastic", "not sarcastic"),
        ("I cannot say whether it is sarcastic.", REFUSES),
    ],
)
LANGUAGE = (
    "Which language is spoken?",
    ["English", "German", "Chinese", "French"],
    {"Chinese": ["Mandarin", "zh", "中文"], "German": ["Deutsch", "de"]},
    [
        ("The language is German.", "German"),
        ("Mandarin Chinese", "Chinese"),
        ("中文", "Chinese"),
        ("english", "English"),
        ("It sounds like French, not English.", "French"),
        ("The audio is in Swedish.", None),
        ("English and French", None),
    ],
)
CHINESE = (
    "说话人的情绪是什么？",
    ["高兴", "难过", "愤怒"],
    {},
    [
        ("他不高兴", None),
        ("他并不高兴。", None),
        ("不太高兴", None),
        ("一点也不觉得高兴", None),
        ("听不出高兴", None),
        ("没难过", None),
        ("不高兴，而是难过", "难过"),
        ("高兴，不难过", "高兴"),
        ("不禁难过", "难过"),  # cannot but be
        ("不得不高兴", "高兴"),
        ("不，高兴", "高兴"),
        ("不过高兴", "高兴"),  # however
        ("声音不错，高兴", "高兴"),  # not bad
    ],
)
MUSIC = (
    "Which genre is it?",
    ["rock", "rock and roll", "bass", "drum & bass", "r&b"],
    {},
    [
        ("rock & roll", "rock and roll"),
        ("It is Rock &amp; Roll.", "rock and roll"),
        ("rock 'n' roll", "rock and roll"),
        ("Rock’n’roll", "rock and roll"),
        ("rock-n-roll", "rock and roll"),
        ("It sounds like drum and bass.", "drum & bass"),
        ("R&B", "r&b"),
        ("rock", "rock"),
    ],
)
ROWS = [
    pytest.param(question, labels, synonyms, reply, wanted, id=f"{labels[0]}: {reply[:60]}")
    for question, labels, synonyms, rows in (EMOTION, SEX, AGE, INTENT, SARCASM, LANGUAGE, CHINESE, MUSIC)
    for reply, wanted in rows
]


@pytest.mark.parametrize(("question", "labels", "synonyms", "reply", "wanted"), ROWS)
def test_the_label_of_a_reply(question, labels, synonyms, reply, wanted):
    found = read_label(reply, label_names(labels, synonyms), question)
    assert (REFUSES if found.refused else found.label) == wanted, found


@pytest.mark.parametrize(
    ("label", "reply"),
    [
        ("悲しい", "悲しいわけではない"),
        ("행복", "행복하지 않아요"),
        ("행복", "행복이 아니다"),
        ("vui", "Người nói không vui"),
        ("senang", "Pembicara tidak senang"),
        ("mutlu", "Konuşan mutlu değil"),
        ("سعيد", "المتحدث غير سعيد"),
        ("खुश", "वह खुश नहीं है"),
        ("glad", "Talaren är inte glad"),
        ("glad", "Taleren er ikke glad"),
        ("šťastný", "Mluvčí není šťastný"),
        ("ดีใจ", "เขาไม่ดีใจ"),
    ],
)
def test_a_label_denied_in_other_languages_is_not_given(label, reply):
    names = label_names([label, "other"], {})
    assert read_label(reply, names).label is None
    assert read_label(label, names).label == label


def test_the_question_repeated_is_no_answer():
    names = label_names(["happy", "neutral"], {})
    question = "In the example the answer is happy. Name the emotion of the speaker"
    assert read_label(f"{question}: neutral", names, question).label == "neutral"
    assert read_label(f"{question}: neutral", names).label != "neutral"
    assert read_label(question, names, question).label == "happy"  # nothing else is said


def test_the_table_is_long_enough():
    assert len(ROWS) >= 80


@given(st.text(max_size=300), st.integers(2, 100))
def test_whatever_a_reply_is_only_a_label_of_the_set_is_read(reply, n):
    labels = [f"label {k}" for k in range(n)]
    assert read_label(reply, label_names(labels, {})).label in {None, *labels}


@pytest.mark.parametrize("n", [2, 26, 27, 60, 100])
def test_sets_of_two_to_a_hundred_labels(n):
    labels = [f"{word}_{kind}" for word in ("alarm", "light", "music", "news") for kind in _KINDS][:n]
    names = label_names(labels, {labels[0]: ["the very first"]})
    for label in labels:
        assert read_label(f"The intent is {label}.", names).label == label
        assert read_label(label.replace("_", " "), names).label == label
    assert read_label("It is the very first.", names).label == labels[0]
    assert read_label(f"{labels[0]} or {labels[1]}", names).label is None


_KINDS = (
    *("set", "remove", "query", "raise", "lower", "stop", "start", "list", "likes", "hates", "skip", "save", "share"),
    *("send", "mute", "dim", "order", "book", "joke", "quiz", "define", "find", "open", "close", "check"),
)


COMIC = label_names(["humorous", "serious"], {"humorous": ["funny", "a joke"], "serious": ["not funny", "no"]})


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ("The speaker is not trying to be funny.", "serious"),  # the card calls this label so in other words
        ("I don't think that it's a joke.", "serious"),
        ("I am not sure that it's a joke.", None),
        ("It is not clear whether it is funny.", None),
        ("It isn't serious.", None),  # no name of a label is the denial of this one
        ("It is neither funny nor serious.", None),
    ],
)
def test_a_denial_is_the_label_that_the_card_calls_by_that_denial(reply, label):
    assert read_label(reply, COMIC).label == label
    assert read_label(reply.replace("serious", "grave"), label_names(["humorous", "grave"], {})).label is None


NATIONS = label_names(["American", "British"], {"American": ["US", "US English"], "British": ["UK"]})


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ("us", "American"),
        ("The accent is us english.", "American"),
        ("From the US.", "American"),
        ("Tell us more.", None),
        ("The sentence is about American history.", None),
        ("He talks about his American wife in a British accent.", "British"),
        ("She mentions the UK and sounds American.", "American"),
        ("The British are mentioned.", None),
        ("I'd think of it as British.", "British"),
    ],
)
def test_what_a_clip_is_about_and_a_small_word_that_is_a_name_in_capitals_are_no_labels(reply, label):
    assert read_label(reply, NATIONS).label == label
