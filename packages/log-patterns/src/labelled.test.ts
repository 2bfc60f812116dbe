/** Tests lines of eleven programs: each row comes from one log statement, and hardly any statement has several rows. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { labelledSets, makeLabelledEntries } from '../tests/labelledEntries.ts';
import { mergeTemplates } from './merging.ts';
import { findPattern } from './patterns.ts';

const entriesPerSet = 5_000;

/**
 * The maximum rows with and without metadata, and the share of entries in rows of several statements. A statement has more rows if one
 * of its places has two or three values: teams, namespaces. A villager's death message also contains `X was slain by Y`.
 */
const expected: Readonly<Record<string, readonly [named: number, plain: number, mixed?: number]>> = {
  HAProxy: [8, 8],
  Postfix: [20, 20],
  Kubernetes: [13, 13],
  Minecraft: [17, 17, 0.13],
  FiveM: [15, 15],
  'Source engine': [31, 18],
  Rust: [18, 18],
  PostgreSQL: [18, 18],
  systemd: [16, 16],
  Windows: [13, 13],
  'Unreal and Unity': [15, 15],
};

type Pattern = { template: string; paths: readonly string[]; labels: Map<string, number> };

function findPatterns(set: string, withMetadata: boolean): Pattern[] {
  const patterns = new Map<string, Pattern>();
  for (const { body, metadata, label } of makeLabelledEntries(labelledSets[set]!, entriesPerSet)) {
    const { pattern, template } = findPattern(body, withMetadata ? metadata : undefined);
    const known = patterns.get(pattern) ?? { template, paths: Object.keys(metadata), labels: new Map() };
    known.labels.set(label, (known.labels.get(label) ?? 0) + 1);
    patterns.set(pattern, known);
  }
  const sorted = [...patterns].sort(([one], [other]) => (one < other ? -1 : 1));
  return sorted.map(([, pattern]) => pattern);
}

describe('rows of', () => {
  for (const [set, [named, plain, mixedMax = 0]] of Object.entries(expected)) {
    for (const withMetadata of [true, false]) {
      test(`${set} ${withMetadata ? 'with metadata' : 'without'}`, async () => {
        const merged = await mergeTemplates(findPatterns(set, withMetadata));
        const rows = merged.map(({ template, members }) => {
          const labels = new Map<string, number>();
          for (const member of members)
            for (const [label, entries] of member.labels)
              labels.set(label, (labels.get(label) ?? 0) + entries);
          return { template, labels };
        });
        const list = rows
          .map(({ template, labels }) => `${[...labels.keys()].join('+')}: ${template}`)
          .join('\n');
        assert.ok(rows.length <= (withMetadata ? named : plain), `${rows.length} rows:\n${list}`);
        const mixed = rows
          .filter(({ labels }) => labels.size > 1)
          .flatMap(({ labels }) => [...labels.values()]);
        const share = mixed.reduce((sum, entries) => sum + entries, 0) / entriesPerSet;
        assert.ok(share <= mixedMax, `${share} in rows of several statements:\n${list}`);
      });
    }
  }
});

test('rows keep their templates when more entries arrive', async () => {
  for (const [set, kinds] of Object.entries(labelledSets)) {
    const [before, after] = [1, 1.02].map(
      factor =>
        new Set(
          makeLabelledEntries(kinds, entriesPerSet * factor).map(({ body }) => findPattern(body).template),
        ),
    );
    const merge = async (templates: ReadonlySet<string>) => {
      const all = [...templates].map(template => ({ template, pattern: findPattern(template).pattern }));
      const sorted = all.sort((one, other) => (one.pattern < other.pattern ? -1 : 1));
      const rows = (await mergeTemplates(sorted)).filter(({ members }) => members.length > 1);
      return new Map(rows.map(({ template, members }) => [template, members.length]));
    };
    const [then, now] = [await merge(before!), await merge(after!)];
    const renamed = [...then.keys()].filter(template => !now.has(template));
    assert.ok(renamed.length <= 1, `${set}: ${renamed.join('\n')}`);
  }
});
