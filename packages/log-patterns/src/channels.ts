/** Merges chat lines that name their channel, such as `[CHAT] Olga[5] : hello`, if no metadata names the speaker. */
import { wordsPlaceholder } from './templates.ts';

const linesMin = 12;
const line =
  /^(\[[^[\]<>]*\b(?:chat|say|global|local|team|ooc|radio|whisper|all|pm|shout|guild|party|faction)\b[^[\]<>]*\] )[^:]{1,100}?((?: ?[[(]<(?:n|id|hex)>[\])])?(?: :|:) )(?=.)/iu;

/** Maps indexes of texts to their merged templates. */
export function findChannels(texts: readonly string[]): Map<number, string> {
  const channels = new Map<string, number[]>();
  for (const [index, text] of texts.entries()) {
    const [, channel, end] = line.exec(text) ?? [];
    if (channel === undefined) continue;
    const said = `${channel}${wordsPlaceholder}${end}${wordsPlaceholder}`;
    const known = channels.get(said);
    if (known === undefined) channels.set(said, [index]);
    else known.push(index);
  }
  const found = new Map<number, string>();
  for (const [said, indexes] of channels)
    if (indexes.length >= linesMin) for (const index of indexes) found.set(index, said);
  return found;
}
