/** Resolves the alerts of a rule that was disabled or changed, and notifies the same channels. */

import { nothingToShow } from './evaluation/alertContext.ts';
import { composeOutcome } from './evaluation/transitions.ts';
import { OrderedIds } from './outbox.ts';
import type { Change } from './ports/editor.ts';
import type { Rule } from './ports/records.ts';

export async function endFiring(
  { records, now }: Pick<Change, 'records' | 'now'>,
  rule: Rule,
  { publicUrl }: { publicUrl: string },
): Promise<void> {
  const watch = await records.watches.find(rule.id);
  if (watch === null || watch.generation !== rule.generation || watch.firing.length === 0) return;
  const transitions = watch.firing.map(
    ({ value }) => ({ kind: 'resolved', value, at: now, count: 0 }) as const,
  );
  const ended = await composeOutcome(
    { rule, watch, storedAt: watch.judgedAt },
    { windows: watch.windows, transitions, trouble: watch.trouble },
    {
      now,
      publicUrl,
      ids: new OrderedIds({ now: () => now }),
      channels: await records.channels.list(rule.project),
      loadAlertContext: async () => nothingToShow,
    },
  );
  if (ended === null) return;
  await records.watches.replace(
    { ...ended.watch, judgedAt: Math.max(now, watch.judgedAt + 1) },
    watch.judgedAt,
  );
  await records.watches.record(ended.changes);
  await records.deliveries.insert(ended.deliveries);
}
