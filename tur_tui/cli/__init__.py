"""The verbs of `tur-adm`, plain and scriptable."""
