"""What a stranger writes with a client generated from `/openapi.json`; mypy checks it against that client."""

import asyncio
import json
import sys
from datetime import UTC
from uuid import UUID, uuid4

from hashinsight_client import AuthenticatedClient, Client
from hashinsight_client.api.auth import sign_in
from hashinsight_client.api.commands import get_command, request_commands
from hashinsight_client.api.problems import list_problems
from hashinsight_client.models import (
    CommandStory,
    ErrorAnswer,
    LoginBody,
    NewCommands,
    NewCommandsParamsType0,
    NewCommandsPriority,
    Problem,
    ProblemList,
    ProblemSeverity,
    RequestOut,
    State,
    TokenPair,
)


async def main(url: str, email: str, password: str) -> None:
    refused = await sign_in.asyncio(client=Client(url), body=LoginBody(email=email, password="wrong"))
    assert isinstance(refused, ErrorAnswer)
    tokens = await sign_in.asyncio(client=Client(url), body=LoginBody(email=email, password=password))
    assert isinstance(tokens, TokenPair)
    client = AuthenticatedClient(url, tokens.access_token)

    listed = await list_problems.asyncio(client=client, site_id="tx-1")
    assert isinstance(listed, ProblemList)
    (problem,) = listed.problems
    story = await story_of(client, await set_fan(client, problem))
    missing = await get_command.asyncio(uuid4(), client=client)
    assert isinstance(missing, ErrorAnswer)
    figures = {
        "refused": refused.error_code,
        "problem": str(problem.id),
        "severe": problem.severity is ProblemSeverity.P1,
        "started": problem.start_ts.astimezone(UTC).isoformat(),
        "queued": story.state is State.QUEUED,
        "events": [move.event.value for move in story.history],
        "attempts": len(story.attempts),
        "missing": missing.error_code,
    }
    json.dump(figures, sys.stdout)


async def set_fan(client: AuthenticatedClient, problem: Problem) -> UUID:
    assert problem.miner_id is not None
    wanted = NewCommands(
        site_id="tx-1",
        miner_ids=[problem.miner_id],
        command_type="set_fan",
        params=NewCommandsParamsType0.from_dict({"speed": 60}),
        priority=NewCommandsPriority.EFFICIENCY,
        reason=problem.issue_code.value,
        problem_id=str(problem.id),
    )
    answer = await request_commands.asyncio(client=client, body=wanted)
    assert isinstance(answer, RequestOut)
    (command,) = answer.commands
    return command.command_id


async def story_of(client: AuthenticatedClient, command_id: UUID) -> CommandStory:
    story = await get_command.asyncio(command_id, client=client)
    assert isinstance(story, CommandStory)
    return story


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
