"""Options of all commands are written out."""

import pytest

from symshift.cli import main


@pytest.mark.parametrize(
    ("words", "short"),
    [
        (["train", "lstm", "--seed", "2"], "--seed 2"),
        (["audit", "0123456789ab", "--renaming", "2"], "--renaming 2"),
        (["sweep", "some.yaml", "--dry"], "--dry"),
        (["report", "--mod=stpr"], "--mod=stpr"),
    ],
)
def test_an_option_is_not_shortened(words, short, capsys):
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    prog = f"symshift {words[0]}"
    assert capsys.readouterr().err == f"{prog}: unrecognized arguments: {short}; see `{prog} --help`\n"


@pytest.mark.parametrize(
    ("words", "mistake"),
    [
        (["train"], "the following arguments are required: model"),
        (["train", "stpr", "--task", "one"], "argument --task: invalid int value: 'one'"),
        (["report", "--task", "1.5"], "argument --task: invalid int value: '1.5'"),
    ],
)
def test_what_a_parser_refuses_is_one_line(words, mistake, capsys):
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert capsys.readouterr().err == f"symshift {words[0]}: {mistake}; see `symshift {words[0]} --help`\n"
