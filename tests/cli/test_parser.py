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
    assert capsys.readouterr().err.endswith(f"error: unrecognized arguments: {short}\n")
