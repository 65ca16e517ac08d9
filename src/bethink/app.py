"""The composition root: settings in, an engine out."""

from __future__ import annotations

import getpass
import os
from collections.abc import Mapping
from pathlib import Path

from .engine import Bethink
from .models.spec import embedder_from_spec, reranker_from_spec
from .place import owner_place
from .ports import Policy, Ports
from .principal import Principal, namespace_path, owner, parse_principal
from .settings import Settings, data_folder, models_folder, path_of, zone_of
from .storage.sqlite.store import SqliteStore


def open_app(
    settings: Settings, *, waits: bool, principal: Principal | None = None, folder: Path | None = None
) -> Bethink:
    """Open what `settings` say. A caller that `waits`, as the command line does, waits for the model to load."""
    storage = SqliteStore(settings.db, synchronous=settings["synchronous"], wait_seconds=settings.busy_seconds)
    embedder = embedder_from_spec(settings["embedder"], environment=os.environ, folder=settings.models)
    reranker = reranker_from_spec(settings["reranker"], environment=os.environ, folder=settings.models)
    ports = Ports(storage, embedder, policy_of(settings, waits=waits), reranker=reranker)
    return Bethink(ports, principal or principal_of(settings, folder or Path.cwd()))


def policy_of(settings: Settings, *, waits: bool) -> Policy:
    """Return what the settings decide for every call."""
    return Policy(
        settings.timezone,
        settings["secrets"],
        str(settings.exports),
        wait_for_embedder=waits,
        log_days=settings.log_days,
    )


def principal_of(settings: Settings, folder: Path) -> Principal:
    """Return the confined principal that the settings name, else the owner at the place that fits `folder`."""
    if settings.values["principal"].origin != "default":  # one that came out empty must not make an owner
        return parse_principal(settings["principal"])
    home = home_place()
    place = namespace_path(settings["namespace"]) if settings["namespace"] else owner_place(folder) or home
    return owner(place, home=home, agent=settings["agent"] or None)


def home_place() -> str:
    """Return the namespace of the person at this machine."""
    name = "".join(c if c.isalnum() or c in "._-" else "-" for c in _login())
    return f"user:{name[:64] or 'me'}"


def open_library(
    path: str | Path | None, *, principal: Principal | None, embedder: str, reranker: str, timezone: str
) -> Bethink:
    """Open a store for a host that configures it itself: the environment is not read."""
    at = path_of("path", path) if path is not None else data_folder() / "memories.db"
    nothing: Mapping[str, str] = {}
    policy = Policy(zone_of(timezone), exports=str(at.parent / "exports"))
    models = models_folder()
    ports = Ports(
        SqliteStore(at),
        embedder_from_spec(embedder, environment=nothing, folder=models),
        policy,
        reranker=reranker_from_spec(reranker, environment=nothing, folder=models),
    )
    home = home_place()
    return Bethink(ports, principal or owner(home, home=home))


def _login() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "me"
