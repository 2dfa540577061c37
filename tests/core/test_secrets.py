"""Secrets are taken out of text by their shape; everything else stays."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tur.policy.secrets import redact

# Put together here so that no scanner takes this file for a leak.
LETTERS = "aB3dE5gH7jK9mN1pQ2sT4vW6yZ8bC0dF"
HEX = "0123456789abcdef" * 2


@pytest.mark.parametrize(
    ("secret", "kind"),
    [
        ("AKIA" + "EXAMPLE0000000001", "aws_access_key"),
        ("ASIA" + "ABCDEFGHIJKLMNOP", "aws_access_key"),
        ("sk-" + "ant-api03-" + LETTERS, "anthropic_key"),
        ("sk-" + "EXAMPLE-not-a-real-key-0001", "openai_key"),
        ("sk-" + "proj-" + LETTERS, "openai_key"),
        ("ghp_" + "a" * 36, "github_token"),
        ("gho_" + LETTERS, "github_token"),
        ("ghs_" + LETTERS, "github_token"),
        ("github_pat_" + LETTERS, "github_token"),
        ("glpat-" + LETTERS, "gitlab_token"),
        ("xoxb-" + "EXAMPLE-000000-not-real", "slack_token"),
        ("npm_" + LETTERS, "npm_token"),
        ("pypi-" + "AgEIcHlwaS5vcmc" + LETTERS, "pypi_token"),
        ("AIza" + LETTERS + "abc", "google_api_key"),
        ("sk_" + "live_" + LETTERS, "stripe_key"),
        ("rk_" + "live_" + LETTERS, "stripe_key"),
        ("eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0." + LETTERS, "jwt"),
        ("hf_" + LETTERS, "huggingface_token"),
        ("SG." + LETTERS[:22] + "." + LETTERS, "sendgrid_key"),
        ("SK" + HEX, "twilio_key"),
        ("123456789:" + "AA" + LETTERS + "x", "telegram_token"),
        ("MTIzNDU2Nzg5MDEyMzQ1Njc4" + ".GhIjKl." + LETTERS, "discord_token"),
        ("dop_v1_" + HEX * 2, "digitalocean_token"),
        ("dapi" + HEX, "databricks_token"),
        ("dckr_pat_" + LETTERS, "docker_token"),
        ("shpat_" + HEX, "shopify_token"),
        ("lin_api_" + LETTERS, "linear_key"),
        ("hvs." + LETTERS, "vault_token"),
        ("gsk_" + LETTERS, "groq_key"),
    ],
)
@pytest.mark.parametrize("around", ["{}", "export DEMO_TOKEN={}", "Use `{}`, then go.", '{{"k": "{}"}}', "log\\n{}\\n"])
def test_a_known_token_is_redacted_wherever_it_stands(secret: str, kind: str, around: str) -> None:
    text, kinds = redact(around.format(secret))
    assert text == around.format(f"[redacted:{kind}]")
    assert kinds == [kind]


@pytest.mark.parametrize(
    ("text", "clean", "kinds"),
    [
        (
            "with secret wJalrEXAMPLEKEYnotreal0001 in a file",
            "with secret [redacted:secret] in a file",
            ["secret"],
        ),
        (
            "The secret is wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY.",
            "The secret is [redacted:secret].",
            ["secret"],
        ),
        ("password is hunter2", "password is [redacted:secret]", ["secret"]),
        ("PASSWORD=abc", "PASSWORD=[redacted:assignment]", ["assignment"]),
        ("DB_PASSWORD=hunter", "DB_PASSWORD=[redacted:assignment]", ["assignment"]),
        ('api_key: "abcdef1234"', 'api_key: "[redacted:assignment]"', ["assignment"]),
        ('{"password": "hunter2!", "user": "x"}', '{"password": "[redacted:assignment]", "user": "x"}', ["assignment"]),
        ("clientSecret: 'abc12345'", "clientSecret: '[redacted:assignment]'", ["assignment"]),
        ("a:\n  password: swordfish\n", "a:\n  password: [redacted:assignment]\n", ["assignment"]),
        ("host=x password=swordfish user=y", "host=x password=[redacted:assignment] user=y", ["assignment"]),
        ("mysql --password hunter2 -u x", "mysql --password [redacted:assignment] -u x", ["assignment"]),
        ("Authorization: Bearer abcdefgh12", "Authorization: Bearer [redacted:authorization]", ["authorization"]),
        ("Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic [redacted:authorization]", ["authorization"]),
        (
            "postgres://svc:hunter2-EXAMPLE@db.example.net/r",
            "postgres://[redacted:url_credentials]@db.example.net/r",
            ["url_credentials"],
        ),
        ("AccountKey=" + "ab1+" * 10 + "==;x", "AccountKey=[redacted:azure_key];x", ["azure_key"]),
        (
            "https://hooks.slack.com/services/T000/B000/abcdefgh",
            "https://hooks.slack.com/services/[redacted:webhook]",
            ["webhook"],
        ),
        (
            "key:\n-----BEGIN " + "RSA PRIVATE KEY-----\nMIIE+/=\nabc\n-----END RSA PRIVATE KEY-----\nrest",
            "key:\n[redacted:private_key]\nrest",
            ["private_key"],
        ),
        ("-----BEGIN " + "PRIVATE KEY-----\nMIIE+/=\nabc", "[redacted:private_key]", ["private_key"]),
    ],
)
def test_only_the_secret_goes_and_what_is_around_it_stays(text: str, clean: str, kinds: list[str]) -> None:
    assert redact(text) == (clean, kinds)


@pytest.mark.parametrize(
    "text",
    [
        "the key insight is that WAL needs one writer",
        "token budget: 1,500 and max_tokens=1000",
        "password rules must have 12 characters",
        "secret santa, secret key rotation in 2026",
        "prepare_threshold=None, max_connections=100, cache_key=abc123",
        "sha256 " + "ab" * 32,
        "key " + "ab" * 32 + " and token " + "cd" * 20,
        "commit 8344662 of 3f2504e04f8911d39a0c0305e82c3301a1b2c3d4",
        "token 3f2504e0-4f89-11d3-9a0c-0305e82c3301",
        "session token 20260918_004355_d8ca9e13",
        "key: concept-12ab34cd",
        "token: tur://memory/" + "ab" * 32,
        "secret: /etc/ssl/private/Key2File.pem",
        "token /usr/lib/python3.11/site-packages/Thing2",
        "the --password flag is needed, --token too",
        "token: str, password: string, api_key: Optional[str], password: SecretStr",
        "password = getpass()",
        "password=password, token=token",
        "api_key=os.environ['X'] secret=settings.secret_key",
        "DB_PASSWORD=${DB_PASSWORD} TOKEN=<token> PASSWORD=****",
        "Authorization: Bearer <token>",
        "bearer authentication is required",
        "https://example.org:8080/path@2x.png",
        "the base64 is aGVsbG8=",
        "task-runner-based-scheduler-2, disk-usage-of-4-hosts",
        "the password is sha256-hashed",
        "the token is base64",
        "`AKIA` keys are long-lived",
        "eyJ is how a token begins",
        "大语言模型 🚀",
        "",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert redact(text) == (text, [])


def test_each_kind_is_listed_once() -> None:
    token = "ghp_" + "a" * 36
    text, kinds = redact(f"{token} {token} PASSWORD=abc")
    assert text.count("[redacted:github_token]") == 2
    assert kinds == ["github_token", "assignment"]


@pytest.mark.parametrize(
    "text",
    ["PASSWORD=abc ghp_" + "a" * 36, "https://u:p@h", "Authorization: Bearer abcdefgh12", "secret " + LETTERS],
)
def test_redacting_again_changes_nothing_more(text: str) -> None:
    once, kinds = redact(text)
    assert kinds
    assert redact(once) == (once, [])


@given(st.text())
def test_any_text_is_taken(text: str) -> None:
    clean, kinds = redact(text)
    assert (clean == text) == (not kinds)


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "eyJ-",
        "A.",
        "SG.",
        "sk-",
        "1",
        "password=",
        'password="',
        "token_",
        "a://b:",
        "bearer ",
        "\\n",
        " ",
        "key ",
        "-----BEGIN " + "PRIVATE KEY-----",
        "--a-",
        "pypi-",
        "password: '\\",
    ],
)
def test_hostile_text_takes_no_longer_than_its_length_allows(piece: str) -> None:
    text = piece * (65_536 // len(piece))
    start = time.perf_counter()
    redact(text)
    assert time.perf_counter() - start < 1.5
