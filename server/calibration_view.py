"""A calibration in a language: the traffic light, the millimetres, the reasons."""

from calibration.ball_check import BallCheck, Place
from calibration.cushion_check import InPlay
from calibration.table_file import Certificate, Verdict
from scoring.table import Spot, Table
from server.calibration_orders import CalibrationState, Proposal, Stored
from server.calibration_schemas import (
    CheckOut,
    ColourOut,
    InPlayOut,
    PlaceOut,
    ProposalOut,
    StoredOut,
    TableSizeOut,
    WizardOut,
)
from server.calibration_words import capital, reason_words
from server.text import Catalogue

GOOD_MM, FAIR_MM = 3.0, 6.0  # how far from its place a ball may be seen; a person puts it there to 1 or 2 mm


def wizard_out(state: CalibrationState, catalogue: Catalogue) -> WizardOut:
    """The whole state in words."""
    return WizardOut(
        size_px=state.size_px,
        has_picture=state.age_s is not None and state.age_s < 3.0,
        views=state.views,
        doing=state.doing,
        failed=state.failed,
        failure=reason_words(state.failure, catalogue),
        proposal=None if state.proposal is None else _proposal_out(state.proposal, catalogue),
        checks=[_check_out(check, catalogue) for check in state.checks],
        is_saved=state.is_saved,
        can_save=state.can_save,
        stored=[_stored_out(stored, catalogue) for stored in state.stored],
        usual=_size_out(state.usual),
        in_play=None if state.in_play is None else _in_play_out(state.in_play, catalogue),
    )


def _in_play_out(in_play: InPlay, catalogue: Catalogue) -> InPlayOut:
    parameters = {"mm": _mm(in_play.mean_mm), "balls": in_play.balls, "cushions": list(in_play.doubted)}
    message = "calibrate.in_play_doubted" if in_play.doubted else "calibrate.in_play"
    return InPlayOut(
        text=capital(catalogue.say(message, parameters)),
        mean_mm=in_play.mean_mm,
        balls=in_play.balls,
        light="warn" if in_play.doubted else "pass",
    )


def _proposal_out(proposal: Proposal, catalogue: Catalogue) -> ProposalOut:
    certificate = proposal.certificate
    worst_mm = max(certificate.pocket_error_mm.values(), default=0.0)
    headline = catalogue.say(f"calibrate.{certificate.verdict}", {"mm": _mm(worst_mm)})
    return ProposalOut(
        table=_size_out(proposal.table),
        light=certificate.verdict,
        headline=headline,
        reasons=[reason_words(reason, catalogue) for reason in certificate.reasons],
        doubts=[reason_words(doubt, catalogue) for doubt in proposal.doubts],
        worst_mm=worst_mm,
        rms_px=certificate.rms_px,
        marks=certificate.marks,
        coverage=certificate.coverage,
        corners_px=list(proposal.corners_px),
        outline_px=list(proposal.outline_px),
        house_line_px=list(proposal.house_line_px),
        places=[
            PlaceOut(place=place, name=catalogue.word(place), at_px=at, error_mm=_error_mm(certificate, place))
            for place, at in proposal.places_px.items()
        ],
        front=proposal.front,
        asks_house=proposal.house_by == "assumed",
        colours=[
            ColourOut(word=word, name=_colour_name(word, catalogue), srgb=srgb)
            for word, srgb in proposal.colours.items()
        ],
        colours_text=_colours_text(proposal, catalogue),
    )


def _colours_text(proposal: Proposal, catalogue: Catalogue) -> str:
    if proposal.colours_refusal:
        return reason_words(proposal.colours_refusal, catalogue)
    if proposal.unseen:
        unseen = [_colour_name(word, catalogue) for word in proposal.unseen]
        return catalogue.say("calibrate.colours_unseen", {"words": unseen})
    return catalogue.say("calibrate.colours_all")


def _colour_name(word: str, catalogue: Catalogue) -> str:
    return catalogue.say(f"colour.{word}") if f"colour.{word}" in catalogue.sentences else word


def _check_out(check: BallCheck, catalogue: Catalogue) -> CheckOut:
    residual_mm = check.residual_mm
    light: Verdict = "pass" if residual_mm <= GOOD_MM else "warn" if residual_mm <= FAIR_MM else "refuse"
    (x_mm, y_mm), (seen_x_mm, seen_y_mm) = check.expected_mm, check.seen_mm
    return CheckOut(
        place=check.place,
        residual_mm=round(residual_mm, 1),
        off_mm=(round(seen_x_mm - x_mm, 1), round(seen_y_mm - y_mm, 1)),
        text=capital(catalogue.say(f"calibrate.check_{light}", {"place": check.place, "mm": _mm(residual_mm)})),
        light=light,
    )


def _stored_out(stored: Stored, catalogue: Catalogue) -> StoredOut:
    certificate = stored.certificate
    if certificate is None:
        return StoredOut(number=stored.number, text=catalogue.say("calibrate.no_certificate"), date=None, light=None)
    worst_mm = max(certificate.pocket_error_mm.values(), default=0.0)
    size = f"{stored.table.length_mm:g} × {stored.table.width_mm:g}"
    return StoredOut(
        number=stored.number,
        text=catalogue.say("calibrate.stored_as", {"size": size, "mm": _mm(worst_mm)}),
        date=certificate.date.isoformat(),
        light=certificate.verdict,
    )


def _error_mm(certificate: Certificate, place: Place) -> float | None:
    return certificate.spot_error_mm.get(place) if isinstance(place, Spot) else certificate.pocket_error_mm.get(place)


def _size_out(table: Table) -> TableSizeOut:
    return TableSizeOut(
        length_mm=table.length_mm, width_mm=table.width_mm, ball_mm=table.ball_mm, has_pockets=table.pockets is not None
    )


def _mm(millimetres: float) -> str:
    return f"{millimetres:.1f}"
