"""Live-looking credentials are taken out and named; ids, hashes, names and stand-ins stay."""

from __future__ import annotations

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.text.secrets import Finding, redact

LETTERS = "aZ3kQ9xV7bN1mC5tR8yW2eU6iO4pL0sDfGhJ" * 4
HEX = "3f9a2c7e1b8d4056" * 4


def segment(value: dict) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


PEM = f"-----BEGIN RSA PRIVATE KEY-----\n{LETTERS[:64]}\n{LETTERS[:40]}==\n-----END RSA PRIVATE KEY-----"
JWT = f"{segment({'alg': 'HS256', 'typ': 'JWT'})}.{segment({'sub': '1', 'name': 'Ann'})}.{LETTERS[:43]}"

LIVE = [
    (PEM, "private-key"),
    (PEM.replace("RSA ", "OPENSSH "), "private-key"),
    (PEM[:100], "private-key"),
    (json.dumps({"type": "service_account", "private_key": PEM, "client_email": "a@b.c"}), "private-key"),
    ("the key is AKIAIOSFODNN7EXAMPLE.", "aws-access-key"),
    (f"aws_secret_access_key = {LETTERS[:40]}", "aws-secret-key"),
    (f"ghp_{LETTERS[:36]}", "github-token"),
    (f"github_pat_{LETTERS[:22]}_{LETTERS[:59]}", "github-token"),
    (f"glpat-{LETTERS[:20]}", "gitlab-token"),
    (f"xoxb-123456789012-1234567890123-{LETTERS[:24]}", "slack-token"),
    (f"xapp-1-A0B1C2-987654-{HEX[:40]}", "slack-token"),
    (f"https://hooks.slack.com/services/T0A1/B0C2/{LETTERS[:24]}", "slack-webhook"),
    (f"AIza{LETTERS[:35]}", "google-api-key"),
    (f"sk_live_{LETTERS[:24]}", "stripe-key"),
    (f"rk_live_{LETTERS[:24]}", "stripe-key"),
    (f"sk-{LETTERS[:48]}", "openai-key"),
    (f"sk-proj-{LETTERS[:60]}", "openai-key"),
    (f"sk-ant-api03-{LETTERS[:93]}", "anthropic-key"),
    (f"npm_{LETTERS[:36]}", "npm-token"),
    (f"pypi-AgEIcHlwaS5vcmc{LETTERS[:60]}", "pypi-token"),
    (f"hf_{LETTERS[:34]}", "hugging-face-token"),
    (f"SG.{LETTERS[:22]}.{LETTERS[:43]}", "sendgrid-key"),
    (f"SK{HEX[:32]}", "twilio-key"),
    (f"TWILIO_AUTH_TOKEN={HEX[:32]}", "twilio-token"),
    (f"110201543:AA{LETTERS[:33]}", "telegram-token"),
    (JWT, "jwt"),
    (f"DefaultEndpointsProtocol=https;AccountName=x;AccountKey={LETTERS[:86]}==;", "azure-key"),
    (f"dop_v1_{HEX}", "digitalocean-token"),
    ("postgres://user:pass@db.internal/x", "url-password"),
    ("redis://:hunter2@localhost:6379/0", "url-password"),
    ("Authorization: Basic " + base64.b64encode(b"user:hunter22").decode(), "authorization"),
    (f"Authorization: Bearer {LETTERS[:40]}", "authorization"),
    ('password = "Tr0ub4dor&3"', "password"),
    ("DB_PASSWORD=s3cr3tP@ss", "password"),
    ('{"password": "hunter2!!"}', "password"),
    ("the wifi password is Sunshine42!", "password"),
    ("mysql --password hunter22 -u root", "password"),
    (f"export API_KEY={HEX[:40]}", "api-key"),
    (f"client_secret: '{LETTERS[:32]}'", "token"),
]
HARMLESS = [
    "550e8400-e29b-41d4-a716-446655440000",
    f"sha256:{HEX}",
    f"fixed in commit {HEX[:40]}",
    "api_key = YOUR_API_KEY",
    "api_key = 'xxxxxxxxxxxxxxxxxxxx'",
    "sk-your-api-key-goes-here-please",
    "ghp_" + "x" * 36,
    "password = os.environ['DB_PASSWORD']",
    "password: str",
    "password = get_password()",
    "password=config.password",
    "password: '********'",
    "Password: required, at least eight characters",
    "max_tokens=100000 and token_count: 123456789012345678",
    "secret: ${SECRET_FROM_VAULT}",
    "Authorization: Bearer <token>",
    "Bearer authentication is used by the service",
    "sk-learn-something-nice-to-have-v2",
    "disk-usage-2024-report-of-everything",
    "A key file starts with -----BEGIN PRIVATE KEY----- and has mode 600.",
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    "http://localhost:3000/@scope/pkg",
    "git@github.com:org/repo.git",
    "postgres://user:${DB_PASS}@host",
    "primary_key = 'customer_order_line_item_id'",
    "the token = tokenizer.decode(ids[0])",
    "eyJhbGciOiJub3Q.not.json",
]


@pytest.mark.parametrize(("text", "kind"), LIVE, ids=[f"{n}-{kind}" for n, (_, kind) in enumerate(LIVE)])
def test_a_live_looking_credential_becomes_a_placeholder_of_its_kind(text, kind):
    redacted, findings = redact(f"before {text} after")

    assert [finding.kind for finding in findings] == [kind]
    assert f"[secret:{kind}]" in redacted
    assert redacted.startswith("before ")
    assert redacted.endswith(" after")


@pytest.mark.parametrize("text", HARMLESS)
def test_ids_code_and_stand_ins_stay(text):
    assert redact(text) == (text, [])


def test_only_the_span_of_the_credential_is_replaced():
    text = f"Ann's key ghp_{LETTERS[:36]}, revoke it."

    assert redact(text) == ("Ann's key [secret:github-token], revoke it.", [Finding("github-token", 10, 50)])


def test_overlapping_credentials_are_one_of_the_more_specific_kind():
    redacted, findings = redact(f'token = "ghp_{LETTERS[:36]}"')

    assert redacted == 'token = "[secret:github-token]"'
    assert len(findings) == 1


def test_no_other_letter_in_the_text_switches_the_search_off():
    assert redact("İ password=hunter2")[0] == "İ password=[secret:password]"


@given(st.lists(st.sampled_from([text for text, _ in LIVE] + HARMLESS + ["\n", " ", "İ", '"']), max_size=6))
def test_redacting_again_changes_nothing(pieces):
    redacted, _ = redact(" ".join(pieces))

    assert redact(redacted) == (redacted, [])
