/** The format of Loki's push. One entry that is not taken refuses them all. */
import { extname } from 'node:path';
import {
  type DirectTask,
  readLokiJson,
  readLokiProtobuf,
  readSnappy,
  writeLokiJson,
  writeLokiProtobuf,
} from '@tapedeck/log-protocols';
import { Failure } from '@tapedeck/values/failure';
import { limits } from '../../vocabulary.ts';
import { type EntryFormat, readTranslatedHere } from '../entryFormat.ts';
import { findSent, type Places, wording } from '../protocol/judge.ts';

type LokiOptions = Places & { encoding: 'protobuf' | 'json' };

export const format: EntryFormat<LokiOptions> = {
  module: new URL(`./lokiFormat.worker${extname(import.meta.url)}`, import.meta.url).href,
  readHere: readTranslatedHere,
  plain: null,
  plainSent: {
    write(task, body, { encoding }) {
      const traceId = encoding === 'json' ? writeLokiJson(task, body, wording) : writePacked(task, body);
      return traceId === null ? null : { traceId, shown: null };
    },
  },
  read(body, options, rules) {
    const entries =
      options.encoding === 'protobuf'
        ? readLokiProtobuf(readSnappy(body, limits.logBatchBytesMax), wording)
        : readLokiJson(body, wording);
    return findSent({ entries, places: options, rules });
  },
};

/** A body that is no Snappy, or of more than what its writer may take, is left to the reader. */
function writePacked(task: DirectTask, body: Buffer): string | null {
  try {
    return writeLokiProtobuf(task, readSnappy(body, task.bytesMax), wording);
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}
