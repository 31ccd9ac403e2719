"""The state of a job, which a worker thread may end at any moment."""

from __future__ import annotations

from venus_toolkit.server.queue.jobs import JobState, PendingJob


class EndingEntry(PendingJob):
    """A job that ends between two reads of its state."""

    __slots__ = ("looks",)
    looks: int

    def __getattribute__(self, name: str) -> object:
        if name != "state":
            return super().__getattribute__(name)
        self.looks = getattr(self, "looks", 0) + 1
        return JobState.RUNNING if self.looks == 1 else JobState.DONE


def test_ending_job_is_not_final_without_its_result() -> None:
    entry = EndingEntry("id", 1, 1)
    entry.looks = 0
    assert entry.result().state == JobState.RUNNING
    assert entry.result().state == JobState.RUNNING
