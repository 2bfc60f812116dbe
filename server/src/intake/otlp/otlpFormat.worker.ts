/** The format of OpenTelemetry. The answer says how many records were not taken, and why. */
import { extname } from 'node:path';
import { type OtlpEncoding, type OtlpRefusal, readOtlp } from '@tapedeck/log-protocols';
import { type EntryFormat, readTranslatedHere } from '../entryFormat.ts';
import { findAll, judgeEach, type Places, type Refusal, wording } from '../sent/sentEntries.ts';

type OtlpOptions = Places & { encoding: OtlpEncoding };

const sentencesMax = 10; // of a hundred thousand that may say the same

export const format: EntryFormat<OtlpOptions> = {
  module: new URL(`./otlpFormat.worker${extname(import.meta.url)}`, import.meta.url).href,
  readHere: readTranslatedHere,
  plain: null,
  read(body, options, rules) {
    const judged = judgeEach(readOtlp(body, options.encoding, wording), options, rules);
    return findAll(judged.entries, options, describe(judged.refusals));
  },
};

function describe(refusals: readonly Refusal[]): OtlpRefusal {
  if (refusals.length === 0) return null;
  const sentences = refusals.slice(0, sentencesMax).map(({ sentence }) => sentence);
  return { count: refusals.length, sentence: sentences.join(' ') };
}
