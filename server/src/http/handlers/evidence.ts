/** Handles evidence: streams the archive, and stops when the client leaves or loses access. */
import { Readable } from 'node:stream';
import { createEvidence } from '@tapedeck/contract/evidence';
import type { UrlDeps } from '@tapedeck/domain/files/naming';
import { describeActor } from '@tapedeck/domain/identity/principals';
import type { Clock } from '@tapedeck/domain/ports/clock';
import { type ManagementDeps, recordAction } from '@tapedeck/domain/projects/auditedChanges';
import { composeEvidence, type EvidenceDeps } from '@tapedeck/domain/subjects/evidence/archive';
import { openEvidenceKey } from '@tapedeck/domain/subjects/evidence/signing';
import { listNotes } from '@tapedeck/domain/subjects/notes';
import { writeZip } from '@tapedeck/zip-archives';
import { type CallerDeps, watchAccess } from '../authentication.ts';
import { cutWhenIdle } from '../idleStreams.ts';
import { csvHeader, formatCsvLine, formatNdjsonLine } from '../logs/entryForms.ts';
import { type HandledRoute, handle, signalOf } from '../routing.ts';
import { writeFile } from './fileRecords.ts';
import { presentNote } from './subjectNotes.ts';
import { readTimelineQuestion } from './timeline.ts';

export type EvidenceRouteDeps = EvidenceDeps &
  CallerDeps &
  UrlDeps &
  Pick<ManagementDeps, 'store'> & { clock: Clock; secret: string; readingPauseMsMax: number };

export function handleEvidence(deps: EvidenceRouteDeps): HandledRoute[] {
  const key = openEvidenceKey(deps.secret);
  return [
    handle(createEvidence, async ({ caller, params, body, request, reply }) => {
      const signal = signalOf(reply);
      const now = deps.clock.now();
      const { notesAbout, kind = null, ...filter } = body;
      const timelineQuestion = readTimelineQuestion(caller, filter);
      const notes = notesAbout === undefined ? null : await listNotes(deps, caller, notesAbout);
      // Leaves out entries that arrive while the archive is written.
      const toMicros = Math.min(timelineQuestion.entries.toMicros ?? Number.POSITIVE_INFINITY, now * 1000);
      const { query = '', from = null, to = null } = filter;
      const createdAt = new Date(now).toISOString();
      const head = {
        format: 'tapedeck-evidence-1' as const,
        project: params.project,
        query,
        from,
        kind,
        to: to ?? createdAt,
        createdAt,
        createdBy: describeActor(caller),
        publicKey: key.publicKey,
      };
      const forms = {
        ndjson: formatNdjsonLine,
        csvHead: csvHeader,
        csv: formatCsvLine,
        file: (file: Parameters<typeof writeFile>[2]) => writeFile(deps, caller.project, file),
        note: presentNote,
      };
      const question = { ...timelineQuestion, entries: { ...timelineQuestion.entries, toMicros } };
      const order = { reader: caller, question, notes, head, key, forms, signal };
      const chunks = await beginReading(writeZip(composeEvidence(deps, order)));
      signal.throwIfAborted(); // a client that is already gone sends no more `close` events
      const line = { project: params.project, action: 'evidence.create', target: query } as const;
      await recordAction(deps, caller, { ...line, details: { from, to, kind } });
      const cut = () => reply.raw.destroy();
      const watch = watchAccess(deps, request, cut);
      reply.raw.once('close', () => clearInterval(watch));
      const name = `evidence-${params.project}-${createdAt.slice(0, 19).replaceAll(':', '')}.zip`;
      reply.type(createEvidence.answerType).header('content-disposition', `attachment; filename="${name}"`);
      return reply.send(
        Readable.from(cutWhenIdle(chunks, deps.readingPauseMsMax, cut), { objectMode: false }),
      );
    }),
  ];
}

/** Reads two chunks first, so that store errors come before the answer: the first is only a header. */
async function beginReading(chunks: AsyncGenerator<Uint8Array>): Promise<AsyncGenerator<Uint8Array>> {
  const first = [await chunks.next(), await chunks.next()];
  return (async function* () {
    try {
      for (const { done, value } of first) if (!done) yield value;
      yield* chunks;
    } finally {
      await chunks.return(undefined);
    }
  })();
}
