"""This machine: checks of isolation, measurement noise and languages, and the images of Docker."""
