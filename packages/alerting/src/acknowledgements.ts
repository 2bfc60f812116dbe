/** Lets a user acknowledge an alert. The acknowledgement ends when the alert is resolved. */
import { AlertingFailure } from './failures.ts';
import { OrderedIds } from './outbox.ts';
import type { Change, Editor } from './ports/editor.ts';
import type { Firing, Rule, RuleChange } from './ports/records.ts';
import { pairWithState, requireRule, type ShownRule } from './rules.ts';

/** `value`: one value of a grouped rule; null: all firing values. */
type Place = { project: string; id: string; value: string | null };

const attemptsMax = 5; // an attempt fails if the evaluator writes in between, which happens at most every two seconds

export async function acknowledgeAlert(editor: Editor, { project, id, value }: Place): Promise<ShownRule> {
  editor.requireRights(project);
  return editor.change(async change => {
    const rule = await requireRule(change.records, { project, id });
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const watch = await writeAcknowledgement(change, rule, value);
      if (watch === null) continue;
      const details = { name: rule.name, value };
      await change.audit({ project, action: 'alert.acknowledge', target: id, details });
      return pairWithState(rule, watch, change.now);
    }
    throw new AlertingFailure('overloaded', 'The state of the rule is changing; send this again.');
  });
}

/** Returns null if another process has changed the state meanwhile. */
async function writeAcknowledgement({ records, now, madeBy }: Change, rule: Rule, value: string | null) {
  const watch = await records.watches.find(rule.id);
  const isChosen = (one: Firing) => value === null || one.value === value;
  const firing = watch?.generation === rule.generation && rule.enabled ? watch.firing : [];
  if (watch === null || !firing.some(isChosen)) {
    const sentence = 'This rule is not firing, so there is nothing to acknowledge.';
    throw new AlertingFailure('not_firing', sentence);
  }
  const acknowledged = { by: madeBy, at: now };
  const next = {
    ...watch,
    judgedAt: watch.judgedAt + 1,
    firing: firing.map(one => (isChosen(one) ? { ...one, acknowledged } : one)),
  };
  if (!(await records.watches.replace(next, watch.judgedAt))) return null;
  const ids = new OrderedIds({ now: () => now });
  const made = { rule: rule.id, project: rule.project, at: now, isMuted: false, actor: madeBy, entries: [] };
  await records.watches.record(
    firing
      .filter(isChosen)
      .map(
        ({ value, count }): RuleChange => ({ ...made, id: ids.next(), kind: 'acknowledged', value, count }),
      ),
  );
  return next;
}
