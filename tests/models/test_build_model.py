"""How the build decides whether the embedded model has to be made."""

import shutil

import pytest

from bethink.models.minilm import FOLDER
from bethink.models.recipe import IDENTITY
from build_model import is_made
from build_model.fetch import check

if not FOLDER.is_dir():
    pytest.skip("the embedded model is not built: run `make`", allow_module_level=True)


def test_a_model_that_is_made_is_not_made_again():
    assert is_made(FOLDER, IDENTITY)


def test_a_model_of_another_recipe_is_made_again():
    assert not is_made(FOLDER, "minilm-l6-v2-int8:0")


def test_a_model_that_is_not_there_is_made(tmp_path):
    assert not is_made(tmp_path, IDENTITY)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "LICENSE", "NOTICE", "recipe.json"])
def test_a_model_with_a_damaged_file_is_made_again(tmp_path, name):
    folder = shutil.copytree(FOLDER, tmp_path / "minilm")
    (folder / name).write_bytes(b"damaged")

    assert not is_made(folder, IDENTITY)


def test_a_file_that_is_not_the_pinned_one_is_refused():
    with pytest.raises(RuntimeError, match=r"model\.safetensors has sha256"):
        check(b"other", "0" * 64, "model.safetensors")
