/** The format of Loki's push. One entry that is not taken refuses them all. */
import { extname } from 'node:path';
import { readLokiJson, readLokiProtobuf, readSnappy } from '@tapedeck/log-protocols';
import { limits } from '../../vocabulary.ts';
import { type EntryFormat, readTranslatedHere } from '../entryFormat.ts';
import { findSent, type Places, wording } from '../sent/sentEntries.ts';

type LokiOptions = Places & { encoding: 'protobuf' | 'json' };

export const format: EntryFormat<LokiOptions> = {
  module: new URL(`./lokiFormat.worker${extname(import.meta.url)}`, import.meta.url).href,
  readHere: readTranslatedHere,
  plain: null,
  plainSent: null,
  read(body, options, rules) {
    const entries =
      options.encoding === 'protobuf'
        ? readLokiProtobuf(readSnappy(body, limits.logBatchBytesMax), wording)
        : readLokiJson(body, wording);
    return findSent({ entries, places: options, rules });
  },
};
