"""Docker containers as a sandbox: the backend itself, its containers, its pool, its images' names."""

from venus_toolkit.sandbox.docker.sandbox import DockerSandbox, find_images

__all__ = ["DockerSandbox", "find_images"]
