"""`cuemarker secret`: what the hall file needs of the staff's PIN or of a program's key."""

import hashlib
import secrets

import click

SHORTEST_PIN = 6


@click.command(epilog="Example: cuemarker secret pin", short_help="Make the staff's PIN, or a key for another program.")
@click.argument("kind", type=click.Choice(("pin", "key")))
def secret(kind: str) -> None:
    """Print the lines for the hall file: of the staff's PIN, which is asked for, or of a new key for a program.

    The hall file holds only hashes; nobody can read the PIN or the key back from it.
    """
    if kind == "key":
        key = secrets.token_urlsafe(32)
        click.echo(f"The key, shown this once: {key}", err=True)
        click.echo(f'[[access.keys]]\nname = "program"\nhash = "sha256:{hashlib.sha256(key.encode()).hexdigest()}"')
        return
    from argon2 import PasswordHasher

    pin = click.prompt("PIN", hide_input=True, confirmation_prompt=True, err=True)
    if len(pin) < SHORTEST_PIN:
        message = f"a PIN of {len(pin)} characters is too short: take {SHORTEST_PIN} or more"
        raise click.UsageError(message)
    click.echo(f'[access]\nstaff_pin_hash = "{PasswordHasher().hash(pin)}"')
