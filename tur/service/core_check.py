"""What is wrong with core memories, audit log, steward key and pins, as findings for `tur verify`."""

from tur.model.finding import Finding
from tur.policy.trust import REVIEW_HINT
from tur.service.core_trust import core_trust, settle, stray_files
from tur.store.intents import intents_folder, list_intents
from tur.store.store import Store


def core_findings(store: Store) -> list[Finding]:
    """Every forgery, damage and leftover that can be told; empty when all is in order.

    Reads every memory file, whatever the index says.
    """
    settle(store)
    verdict = core_trust(store)
    findings = [Finding(alarm.code, alarm.subject, alarm.message, alarm.hint) for alarm in verdict.alarms]
    findings += [Finding(one.code, one.id, one.reason, REVIEW_HINT) for one in verdict.left_out if one.alarm]
    findings += [
        Finding("core_symlink", name, "is no regular file: it is not followed, and nothing of it is used", None)
        for name in stray_files(store)
    ]
    findings += [
        Finding("intent_unreadable", str(path), "is no intent of a steward; it was ignored", "Remove it.")
        for path, intent in list_intents(intents_folder(store.home, store.persona_id))
        if intent is None
    ]
    return findings
