/**
 * Moves templates to rows that say more about them. A wide gap may have taken the word that tells what happened, as in `<*> Jones <*> to <*>`, while
 * most lines of this kind are in `<*> moved to <*>`.
 */
import { findStanding } from './templateMatching.ts';
import { wordsPlaceholder } from './templates.ts';
import type { TemplateWords } from './tokens.ts';
import { inTurns } from './turns.ts';

type Row<One> = { words: TemplateWords; members: One[] };

/** `texts`: by member. */
export async function moveToSpecific<One>(
  groups: readonly Row<One>[],
  texts: ReadonlyMap<One, string>,
): Promise<Row<One>[]> {
  const standing = groups.map(({ words: { text }, members }) => ({ text, members: members.length }));
  const find = findStanding(standing);
  const next = groups.map(({ words }): Row<One> => ({ words, members: [] }));
  const places = groups.flatMap((group, index) => group.members.map(one => ({ one, index })));
  for await (const part of inTurns(places))
    for (const { one, index } of part) {
      const { text, members } = standing[index]!;
      const into = members > 1 && text.includes(wordsPlaceholder) ? find(texts.get(one)!) : null;
      const isBetter = into !== null && standing[into]!.members > members;
      next[isBetter ? into : index]!.members.push(one);
    }
  return next.filter(({ members }) => members.length > 0);
}
