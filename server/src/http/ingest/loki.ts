/** The door of Loki. Its clients send again what 429 or 5xx answered, and drop the rest with the sentence in their log. */
import { format } from '../../intake/loki/lokiFormat.worker.ts';
import type { SentDeps } from '../../intake/protocol/ingest.ts';
import { type HandledRoute, handle, type SpellFailure } from '../routing.ts';
import { lokiRoutes } from './contract.ts';
import { ingestRequest, isProtobuf } from './requests.ts';

export function handleLoki(deps: SentDeps, version: string): HandledRoute[] {
  const push = handle(lokiRoutes.push, async call => {
    const encoding = isProtobuf(call.request) ? 'protobuf' : 'json';
    // It is packed by Snappy in any case, and some clients say so.
    const ownEncoding = encoding === 'protobuf' ? 'snappy' : undefined;
    await ingestRequest(deps, call, { format, options: { encoding }, ownEncoding });
    return call.reply.code(204).send();
  });
  return [
    { ...push, spellFailure },
    handle(lokiRoutes.ready, async ({ reply }) => reply.type('text/plain; charset=utf-8').send('ready\n')),
    handle(lokiRoutes.buildInfo, async () => ({ version, revision: '', branch: '', goVersion: '' })),
  ];
}

const spellFailure: SpellFailure = ({ body }, { reply }) => {
  reply.type('text/plain; charset=utf-8');
  return `${body.error}\n`;
};
