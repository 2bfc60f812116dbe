/** Handles downloads of many files as one ZIP. */
import { Readable } from 'node:stream';
import type * as actions from '@tapedeck/contract/fileActions';
import { type ArchiveDeps, openArchive } from '@tapedeck/domain/files/archive';
import type { UrlDeps } from '@tapedeck/domain/files/naming';
import { parseFileQuery } from '@tapedeck/log-query-language';
import { type CallerDeps, watchAccess } from '../authentication.ts';
import { cutWhenIdle } from '../idleStreams.ts';
import { type RouteRequest, signalOf } from '../routing.ts';
import { readFilter, writeFile } from './fileRecords.ts';

export type FileArchiveDeps = ArchiveDeps & UrlDeps & CallerDeps & { readingPauseMsMax: number };

/** The token route and the signed-in route share this answer. */
export function respondArchive(deps: FileArchiveDeps) {
  return async ({ caller, query, request, reply }: RouteRequest<typeof actions.archiveFiles>) => {
    const { project } = caller;
    const filter = readFilter(query, request.parameters);
    const parameters = { ...pickParameters(query), ...listMetadata(filter) };
    const question = {
      filter,
      query: parseFileQuery(parameters.query),
      request: parameters,
      write: (file: Parameters<typeof writeFile>[2]) => writeFile(deps, project, file),
    };
    const disposition = `attachment; filename="${project.slug}-files.zip"`;
    const describe = () =>
      reply
        .type('application/zip')
        .header('content-disposition', disposition)
        .header('cache-control', 'private, no-store');
    if (request.method === 'HEAD') return describe().send(); // the client would get none of the bytes
    const signal = signalOf(reply);
    const archive = await openArchive(deps, caller, question);
    await archive.next(); // from here on, `return` closes the archive
    if (signal.aborted) await archive.return();
    signal.throwIfAborted(); // a client that is already gone sends no more `close` events
    const cut = () => reply.raw.destroy();
    const watch = watchAccess(deps, request, cut);
    reply.raw.once('close', () => clearInterval(watch));
    const chunks = cutWhenIdle(archive, deps.readingPauseMsMax, cut);
    return describe().send(Readable.from(chunks, { objectMode: false }));
  };
}

/** Leaves out absent parameters. */
function pickParameters({ query = '', path, type, q }: RouteRequest<typeof actions.archiveFiles>['query']) {
  return { query, path, type, q };
}

function listMetadata({ metadata }: ReturnType<typeof readFilter>) {
  if (metadata.length === 0) return {};
  return { metadata: Object.fromEntries(metadata.map(({ path, value }) => [path, value])) };
}
