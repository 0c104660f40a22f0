"""Questions and answers: what workers do, be they people or programs."""

from __future__ import annotations

from functools import partial
from typing import Any

from anyio import to_thread
from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import JSONResponse

from nextpair.campaign.campaign import Campaign
from nextpair.campaign.questions import Explanation
from nextpair.service import hall
from nextpair.service.api import replies, schemas, tables
from nextpair.service.api.replies import ERRORS
from nextpair.service.auth import as_worker, desk_of, require_organiser, worker_or_organiser
from nextpair.service.hall import split_question
from nextpair.service.undoing import Meant
from nextpair.service.views import named

router = APIRouter(prefix="/api/v1", tags=["questions"], responses=ERRORS)
NOTHING = {204: {"description": "Nothing (more) to ask this worker"}}


@router.post(
    "/campaigns/{campaign_id}/questions",
    status_code=201,
    response_model=replies.QuestionOut,
    responses=NOTHING,  # type: ignore[arg-type]
)
async def ask(request: Request, campaign_id: str) -> Any:
    """The worker's next question; 204 when there is nothing (more) to ask them."""
    question = await as_worker(request, campaign_id, hall.ask)
    if question is None:
        return Response(status_code=204)
    return JSONResponse(await desk_of(request).show_question(campaign_id, question), 201)


@router.get(
    "/campaigns/{campaign_id}/questions",
    response_model=list[replies.QuestionOut],
    response_model_exclude_unset=True,  # a text has no image
)
async def open_questions(request: Request, campaign_id: str) -> Any:
    """The worker's own open questions: what to go on with after a break."""
    questions = await as_worker(request, campaign_id, hall.held_by)
    return [await desk_of(request).show_question(campaign_id, question) for question in questions]


@router.post("/questions/{question_id}/answer", response_model=replies.AnswerOut)
async def answer(request: Request, question_id: str, body: schemas.NewAnswer) -> Any:
    """Answer a question, or skip it. The same answer twice is one answer."""
    campaign_id, own_id = split_question(question_id)
    work = partial(hall.answer, question_id=own_id, choice=body.choice, too_late=desk_of(request).records.answered_late)
    return JSONResponse(await as_worker(request, campaign_id, work))


@router.post("/questions/{question_id}/undo", response_model=replies.AnswerOut | tables.ChangeOut)
async def undo(request: Request, question_id: str, body: schemas.MeantAnswer | None = None) -> Any:
    """Withdraw an answer and open its question again: a worker their last one, the organiser any.

    The body says which answer is meant: its `choice`, and how often the question had been `undone` when it was given.
    One that was undone before changes nothing, and where another answer stands in its place, that one stays: a 409.
    Without it, whatever the answer is by then is undone.
    """
    campaign_id, own_id = split_question(question_id)
    meant = Meant(**body.model_dump()) if body is not None else Meant()
    if await worker_or_organiser(request, campaign_id) is None:
        return await desk_of(request).undo(campaign_id, own_id, meant)
    return await as_worker(request, campaign_id, lambda live, name: hall.undo_own(live, name, own_id, meant))


@router.get("/questions/{question_id}/why", dependencies=[Depends(require_organiser)], response_model=tables.WhyOut)
async def why(request: Request, question_id: str) -> Any:
    """Why this pair: what its answer was expected to bring when it was asked, against the next best pair."""
    campaign_id, own_id = split_question(question_id)
    records = desk_of(request).records
    events = await desk_of(request).run(campaign_id, lambda live: live.until_asked(own_id))

    def explain() -> Explanation:  # on what was known then; workers need not wait for a long journal
        reason = Campaign.replay(events).explain(own_id)
        return named(reason, records.items(campaign_id), records.workers(campaign_id))

    reason = await to_thread.run_sync(explain)
    return {name: getattr(reason, name) for name in tables.WhyOut.model_fields if name != "text"} | {
        "text": str(reason)
    }
