"""Tiny models in ONNX form that really run: an embedder and a cross-encoder over a dozen words."""

import json

import numpy as np
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, pre_tokenizers, processors

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "cat", "feline", "dog", "tax", "query", "passage", ":", "猫"]
NEAR = {"cat": [1, 0, 0, 0], "feline": [0.9, 0.1, 0, 0], "猫": [0.95, 0, 0.1, 0], "dog": [0.4, 0.8, 0, 0]}
"""Where words lie; all others, and the tokens that frame a text, lie elsewhere."""
ELSEWHERE = [0.01, 0.01, 0.01, 0.3]
_IR, _OPSET = 8, 17


def embedder(*, pooling="mean", prompts=None, output="last_hidden_state", max_seq_length=16):
    """Return the files of a model whose tokens are looked up; the sentence's vector is left to the pooling."""
    table = np.full((len(WORDS), 4), ELSEWHERE, np.float32)
    for word, vector in NEAR.items():
        table[WORDS.index(word)] = vector
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["states"])]
    if output == "sentence_embedding":
        nodes.append(helper.make_node("ReduceMean", ["states"], [output], axes=[1], keepdims=0))
    else:
        nodes.append(helper.make_node("Identity", ["states"], [output]))
    files = {
        **_files(_model(nodes, table, ["input_ids", "attention_mask"], output)),
        "modules.json": _json(
            [{"type": f"sentence_transformers.models.{name}"} for name in ("Transformer", "Pooling")]
        ),
        "sentence_bert_config.json": _json({"max_seq_length": max_seq_length, "do_lower_case": False}),
        "config_sentence_transformers.json": _json({"prompts": prompts or {}, "default_prompt_name": None}),
        "1_Pooling/config.json": _json({"word_embedding_dimension": 4, f"pooling_mode_{_MODES[pooling]}": True}),
    }
    return {**files, "README.md": b"# tiny", "pytorch_model.bin": b"\x80never fetched"}


_MODES = {"mean": "mean_tokens", "cls": "cls_token", "max": "max_tokens", "lasttoken": "lasttoken"}


def reranker(*, labels=1):
    """Return the files of a cross-encoder that counts the cats of the second text: a logit of -1, and 2 more a cat."""
    table = np.zeros((len(WORDS), labels), np.float32)
    table[WORDS.index("cat")] = 2
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["weights"]),
        helper.make_node("Cast", ["token_type_ids"], ["second"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["second", "last"], ["column"]),
        helper.make_node("Mul", ["weights", "column"], ["counted"]),
        helper.make_node("ReduceSum", ["counted", "middle"], ["sums"], keepdims=0),
        helper.make_node("Add", ["sums", "bias"], ["logits"]),
    ]
    more = [
        numpy_helper.from_array(np.array([2], np.int64), "last"),
        numpy_helper.from_array(np.array([1], np.int64), "middle"),
        numpy_helper.from_array(np.array([-1], np.float32), "bias"),
    ]
    inputs = ["input_ids", "attention_mask", "token_type_ids"]
    return _files(_model(nodes, table, inputs, "logits", more=more))


def _model(nodes, table, inputs, output, *, more=()):
    shape = ["batch", "sequence"]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in inputs],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, None)],
        [numpy_helper.from_array(table, "table"), *more],
    )
    model = helper.make_model(graph, ir_version=_IR, opset_imports=[helper.make_opsetid("", _OPSET)])
    return model.SerializeToString()


def _files(graph):
    return {
        "config.json": _json({"model_type": "bert", "max_position_embeddings": 512}),
        "tokenizer.json": _tokenizer().to_str().encode(),
        "tokenizer_config.json": _json({"model_max_length": 1000000000000000019884624838656}),
        "onnx/model.onnx": graph,
    }


def _tokenizer():
    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    frame = [("[CLS]", WORDS.index("[CLS]")), ("[SEP]", WORDS.index("[SEP]"))]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=frame
    )
    tokenizer.enable_truncation(8)
    tokenizer.enable_padding(length=8)
    return tokenizer


def _json(value):
    return json.dumps(value).encode()
