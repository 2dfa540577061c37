"""How much of a prompt a text takes. Pure."""


def estimate_tokens(text: str) -> int:
    """About how many tokens a model reads in `text`: four ASCII characters, or one other, a token."""
    ascii_characters = sum(character.isascii() for character in text)
    return -(-ascii_characters // 4) + len(text) - ascii_characters


def byte_size(text: str) -> int:
    """The length of `text` in UTF-8, in bytes; a lone surrogate counts as the three bytes it would take."""
    return len(text.encode("utf-8", "surrogatepass"))
