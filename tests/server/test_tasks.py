"""Tasks are ended even when something in them takes no notice."""

import asyncio

import pytest

from server.tasks import cancelled, ended


def test_a_task_that_swallows_its_end_is_told_again(monkeypatch):
    monkeypatch.setattr("server.tasks._PATIENCE_S", 0.05)
    swallowed = []

    async def deaf():
        while True:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                if len(swallowed) == 2:
                    raise
                swallowed.append(True)

    async def run():
        task = asyncio.create_task(deaf())
        await asyncio.sleep(0)
        await asyncio.wait_for(ended(task), 10)
        assert task.cancelled()

    asyncio.run(run())
    assert len(swallowed) == 2


def test_a_task_that_had_failed_says_so():
    async def fails():
        raise ZeroDivisionError

    async def run():
        task = asyncio.create_task(fails())
        await asyncio.sleep(0)
        await cancelled(task)

    with pytest.raises(ZeroDivisionError):
        asyncio.run(run())
