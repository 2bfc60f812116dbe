/** The format of OpenTelemetry. The answer says how many records were not taken, and why. */
import { extname } from 'node:path';
import {
  type OtlpEncoding,
  type OtlpRefusal,
  readOtlp,
  writeOtlpJson,
  writeOtlpProtobuf,
} from '@tapedeck/log-protocols';
import { type EntryFormat, readTranslatedHere } from '../entryFormat.ts';
import { findSent, type Places, wording } from '../protocol/judge.ts';

type OtlpOptions = Places & { encoding: OtlpEncoding };

const sentencesMax = 10; // of a hundred thousand that may say the same

export const format: EntryFormat<OtlpOptions> = {
  module: new URL(`./otlpFormat.worker${extname(import.meta.url)}`, import.meta.url).href,
  readHere: readTranslatedHere,
  plain: null,
  plainSent: {
    write(task, body, { encoding }) {
      const write = encoding === 'json' ? writeOtlpJson : writeOtlpProtobuf;
      const traceId = write(task, body, wording);
      return traceId === null ? null : { traceId, shown: null };
    },
  },
  read(body, options, rules) {
    const entries = readOtlp(body, options.encoding, wording);
    const sentences: string[] = [];
    return findSent(
      { entries, places: options, rules },
      {
        refuse: (_, { message }) => void sentences.push(message),
        show: () => describe(sentences),
      },
    );
  },
};

function describe(sentences: readonly string[]): OtlpRefusal {
  if (sentences.length === 0) return null;
  return { count: sentences.length, sentence: sentences.slice(0, sentencesMax).join(' ') };
}
