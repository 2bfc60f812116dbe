/** Takes in a body of a common log protocol, whose entries may go to several datasets of the project. */
import type { AccessDirectory } from '../../domain/identity/access.ts';
import { type IngestRequest, readRules } from '../../domain/logs/intake/ingest.ts';
import { type EntryIntakeDeps, readEntries, storeGroups } from '../entryIntake.ts';
import { storeDirectly } from './directWriter.ts';
import { type AllowedDatasets, format, hasWriter, type ProtocolOptions } from './protocolFormat.worker.ts';

export type SentDeps = EntryIntakeDeps & { access: Pick<AccessDirectory, 'findProject'> };

type Spelling = Pick<ProtocolOptions, 'protocol' | 'said'>;

/** `datasets`: those the token may write to; null: any. */
type SentRequest = IngestRequest & { datasets: ReadonlySet<string> | null };

/** Resolves to the answer's content, once all accepted entries are stored. */
export async function ingestSent(deps: SentDeps, request: SentRequest, said: Spelling): Promise<unknown> {
  const { project, dataset, datasets } = request;
  const usual = readRules(deps, request);
  // Each dataset's own time range applies to its entries. Datasets without retention accept any time up to tomorrow.
  const rules = { ...usual, range: { ...usual.range, fromMicros: 0 } };
  const kept = Object.keys(deps.access.findProject(project)?.logRetention ?? {});
  const ranges = kept.map(name => [name, readRules(deps, { project, dataset: name }).range] as const);
  const places: AllowedDatasets = {
    dataset,
    datasets: datasets && [...datasets],
    ranges: Object.fromEntries(ranges),
  };
  const spelling = { format, options: { ...said, ...places }, rules };
  const stored = hasWriter(said) ? await storeDirectly(deps, request, spelling) : null;
  if (stored !== null) return stored.shown;
  const { groups, shown } = await readEntries(deps, request, spelling);
  await storeGroups(deps, request, { groups, rules });
  return shown;
}
