"""Docker containers as a sandbox: the backend itself, its containers, its pool, its images' names."""

from venus_toolkit.sandbox.docker.client import connect, refusals, remove_leftovers
from venus_toolkit.sandbox.docker.sandbox import DockerSandbox, find_images, lacking_images

__all__ = ["DockerSandbox", "connect", "find_images", "lacking_images", "refusals", "remove_leftovers"]
