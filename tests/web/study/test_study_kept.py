"""A study in its database, SQLite and PostgreSQL: places, coming back, consents, ids."""

import contextlib
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import msgspec
import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from audiometry.errors import UsageError
from audiometry.web.study import tables
from audiometry.web.study.flow import Done
from audiometry.web.study.link import NotOursError
from audiometry.web.study.study import Study

NONE = Done(0)


on_both = pytest.mark.parametrize("url", ["sqlite", "postgresql"], indirect=True)


@pytest.fixture
def url(request, tmp_path):
    if getattr(request, "param", "sqlite") == "sqlite":
        return f"sqlite:///{tmp_path / 'study.db'}"
    return request.getfixturevalue("new_database")()


@pytest.fixture
def opened(url, clock):
    """Open a study's database again: ``opened(spec)``."""
    with contextlib.ExitStack() as stack:

        def call(said):
            study = Study.open(said, url, clock)
            stack.callback(study.close)
            return study

        yield call


def come(study, pid, **link):
    number = study.who(study.arrive({"PROLIFIC_PID": pid, **link}))
    assert number is not None
    return number


def begin(study, pid):
    """Up to the work; the number and the step."""
    number = come(study, pid)
    study.consent(number, study.spec.consent.version, agreed=True, done=NONE)
    study.screen(number, {"hearing": "Yes"}, NONE)
    study.describe(number, {}, NONE)
    return number, study.begin(number, NONE)[1]


@on_both
def test_the_migrations_make_what_the_tables_say(opened, spec, url):
    opened(spec())
    engine = sa.create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": tables.VERSION_TABLE})
        assert compare_metadata(context, tables.METADATA) == []
    engine.dispose()


@on_both
def test_no_more_are_complete_than_there_are_places_however_many_come_at_once(opened, spec):
    study = opened(spec(participants=5, n=2))
    all_are_there = Barrier(12)

    def take_part(n):
        number = come(study, f"pid-{n}")
        all_are_there.wait(60)  # and all agree at once
        number, step = begin(study, f"pid-{n}")
        if step == "work":
            for check, chosen in enumerate(("Rather not", "Blue")):
                study.check(number, check, chosen, Done(1))
            return study.look(number, Done(2))[1]
        return step

    with ThreadPoolExecutor(12) as pool:
        steps = list(pool.map(take_part, range(24)))
    assert sorted(set(steps)) == ["complete", "quota_full"]
    assert steps.count("complete") == 5
    assert sum(one.person.exit == "complete" for one in study.everybody()) == 5


@on_both
def test_one_who_comes_twice_at_once_is_one(opened, spec):
    study = opened(spec())
    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(lambda _: come(study, "anna"), range(16)))) == 1
    assert len(study.everybody()) == 1


@on_both
def test_a_place_runs_out_goes_to_another_and_is_missed(opened, spec, clock):
    study = opened(spec(participants=1, hold=60))
    anna, _ = begin(study, "anna")
    clock.minutes(59)
    assert begin(study, "ben")[1] == "quota_full"  # for good: he has his code
    assert study.look(anna, NONE)[1] == "work"  # and with that her place is held anew
    clock.minutes(59)
    assert begin(study, "cara")[1] == "quota_full"
    clock.minutes(2)
    dora, step = begin(study, "dora")
    assert step == "work"
    assert study.look(anna, Done(1))[1] == "quota_full"
    assert study.look(dora, NONE)[1] == "work"
    assert [one.person.done for one in study.everybody() if one.id == "anna"] == [1]  # which she is paid for


def test_a_place_that_ran_out_is_taken_again_if_it_is_free(opened, spec, clock):
    study = opened(spec(participants=1, hold=60))
    anna, _ = begin(study, "anna")
    clock.minutes(600)
    assert study.look(anna, NONE)[1] == "work"
    assert begin(study, "ben")[1] == "quota_full"


@pytest.mark.parametrize("way", ["no_consent", "screened_out", "withdrawn", "technical_failure"])
def test_who_leaves_gives_the_place_back_and_leaves_once(opened, spec, way):
    study = opened(spec(participants=1))
    anna = come(study, "anna")
    study.consent(anna, "1", agreed=way != "no_consent", done=NONE)
    if way == "screened_out":
        study.screen(anna, {"hearing": "No"}, NONE)
    elif way == "technical_failure":
        study.trouble(anna, "no sound\x00\x1b[31m", NONE)
    elif way == "withdrawn":
        study.withdraw(anna)
    assert study.look(anna, NONE)[1] == way
    for again in (
        study.consent(anna, "1", agreed=True, done=NONE),
        study.screen(anna, {"hearing": "Yes"}, NONE),
        study.trouble(anna, "more", NONE),
        study.begin(anna, NONE),
    ):
        assert again[1] == way
    assert begin(study, "ben")[1] == "work"


def test_who_had_done_all_when_the_server_died_has_the_place(opened, spec, clock):
    study = opened(spec(participants=1, n=2))
    anna, _ = begin(study, "anna")
    for check, chosen in enumerate(("Rather not", "Blue")):
        study.check(anna, check, chosen, Done(1))
    clock.minutes(600)
    again = opened(study.spec)
    assert again.under_way() == [anna]
    again.settle(anna, Done(2))
    assert begin(again, "ben")[1] == "quota_full"
    assert again.look(anna, Done(2))[1] == "complete"


def test_to_settle_holds_nobodys_place_for_longer(opened, spec, clock):
    study = opened(spec(participants=1))
    anna, _ = begin(study, "anna")
    clock.minutes(600)
    study.settle(anna, Done(1))
    assert begin(study, "ben")[1] == "work"


def test_a_session_goes_on_where_the_last_one_was_and_is_nobodys_elsewhere(opened, spec):
    study = opened(spec())
    anna, _ = begin(study, "anna")
    token = study.arrive({"PROLIFIC_PID": "anna", "SESSION_ID": "second"})
    assert study.who(token) == anna
    other = opened(msgspec.structs.replace(spec(), name="fish"))
    assert other.who(token) is None  # of the same database
    assert come(other, "anna") != anna
    assert study.who("") is None
    assert study.who("forged" * 5) is None
    assert [one.session for one in study.everybody()] == ["second"]


@pytest.mark.parametrize(
    "pid", ["", " ", "<script>alert(1)</script>", "a'; DROP TABLE study; --", "x" * 65, "é", "-1", "a\x00b", "a b"]
)
def test_an_id_that_is_none_comes_to_nothing(opened, spec, pid):
    study = opened(spec())
    with pytest.raises(NotOursError) as problem:
        study.arrive({"PROLIFIC_PID": pid})
    assert problem.value.why == "nobody"
    assert pid.strip() == "" or pid not in str(problem.value)
    assert study.everybody() == []


def test_a_link_of_another_study_comes_to_nothing(opened, spec):
    own = msgspec.structs.replace(spec().recruitment, studies=("s1", "s2"))
    study = opened(msgspec.structs.replace(spec(), recruitment=own))
    for other in ("s3", ""):
        with pytest.raises(NotOursError) as problem:
            study.arrive({"PROLIFIC_PID": "anna", "STUDY_ID": other})
        assert problem.value.why == "another"
    assert come(study, "anna", STUDY_ID="s1") == come(study, "anna", STUDY_ID="s2")


@on_both
def test_what_is_agreed_to_is_kept_with_its_version_and_time(opened, spec):
    study = opened(spec())
    anna, _ = begin(study, "anna")
    changed = msgspec.structs.replace(study.spec.consent, kept="For ever.")
    with pytest.raises(UsageError, match="give it another version"):
        opened(msgspec.structs.replace(study.spec, consent=changed))
    again = opened(msgspec.structs.replace(study.spec, consent=msgspec.structs.replace(changed, version="2")))
    assert again.look(anna, Done(1))[1] == "consent"
    assert again.consent(anna, "1", agreed=True, done=Done(1))[1] == "consent"  # of a page that was open before
    assert again.consent(anna, "2", agreed=True, done=Done(1))[1] in {"work", "check"}
    with again._database.reading() as connection:
        kept = connection.execute(sa.select(tables.CONSENT).order_by(tables.CONSENT.c.version)).all()
    assert [(one.participant, one.version, one.agreed) for one in kept] == [(anna, "1", True), (anna, "2", True)]
    assert all(len(one.at) == 20 for one in kept)


def test_answers_are_options_and_nothing_else(opened, spec):
    study = opened(spec())
    anna = come(study, "anna")
    study.consent(anna, "1", agreed=True, done=NONE)
    for answers in ({}, {"hearing": "Maybe"}, {"hearing": ""}):
        with pytest.raises(UsageError, match="Do you hear well"):
            study.screen(anna, answers, NONE)
    assert study.screen(anna, {"hearing": "Yes", "name": "Anna"}, NONE)[0].screening == {"hearing": "Yes"}
    with pytest.raises(UsageError, match="no such option"):
        study.describe(anna, {"age": "39"}, NONE)
    assert study.describe(anna, {"age": "30 to 59"}, NONE)[0].demographics == {"age": "30 to 59"}
    study.begin(anna, NONE)
    with pytest.raises(UsageError, match="nothing is chosen"):
        study.check(anna, 0, "Perhaps", Done(1))
    first = study.check(anna, 0, "Certainly", Done(1))[0].checks
    assert first == study.check(anna, 0, "Rather not", Done(1))[0].checks == {0: False}


@on_both
def test_ids_of_who_is_done_go_and_who_comes_again_is_known(opened, spec, clock):
    study = opened(spec())
    anna, _ = begin(study, "anna")
    assert study.forget_ids() == 0  # under way: nobody could pay them
    assert [one.id for one in study.everybody()] == ["anna"]
    clock.minutes(600)
    assert study.forget_ids() == 1
    assert [(one.id, one.session) for one in study.everybody()] == [("", "")]
    assert come(study, "anna", SESSION_ID="later") == anna
    assert [(one.id, one.session) for one in study.everybody()] == [("", "")]  # and not written down anew
    assert study.forget_ids() == 0


@on_both
def test_who_withdraws_after_the_end_keeps_the_pay_and_what_they_said_of_themselves_goes(opened, spec):
    study = opened(spec(n=2))
    anna = come(study, "anna")
    study.consent(anna, "1", agreed=True, done=NONE)
    study.screen(anna, {"hearing": "Yes"}, NONE)
    study.describe(anna, {"age": "Under 30"}, NONE)
    study.begin(anna, NONE)
    for check, chosen in enumerate(("Rather not", "Blue")):
        study.check(anna, check, chosen, Done(1))
    study.look(anna, Done(2))
    person, step = study.withdraw(anna)
    assert (step, person.exit, person.demographics) == ("complete", "complete", None)
    assert person.withdrawn_at
    assert study.withdraw(anna)[0] == person


def test_who_is_under_way_is_here_and_who_was_gone_for_long_is_not(opened, spec, clock):
    study = opened(spec(hold=60))
    clock.at = time.time()
    anna, _ = begin(study, "anna")
    come(study, "ben")  # and reads the consent

    def here():
        return sorted(one.id for one in study.everybody() if study.is_here(one.person))

    clock.minutes(50)
    assert here() == ["anna", "ben"]
    study.look(anna, NONE)
    clock.minutes(50)
    assert here() == ["anna"]
    clock.minutes(50)
    assert here() == []
