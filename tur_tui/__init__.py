"""What the human Architect runs: `tur-adm`."""
