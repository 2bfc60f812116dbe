/** Takes in a body of a common log protocol, whose entries may go to several datasets of the project. */
import { type Attachment, describeAttachment } from '@tapedeck/chat-messages';
import type { MessageFiles } from '@tapedeck/domain/files/messageFiles';
import type { AccessDirectory } from '@tapedeck/domain/identity/access';
import { type IngestRequest, ingest, readRules } from '@tapedeck/domain/logs/intake/ingest';
import type { ItemRules } from '@tapedeck/log-entries';
import type { JsonObject } from '@tapedeck/values/json';
import { addWithFiles } from '../entriesWithFiles.ts';
import { directTo, type EntryIntakeDeps, readEntries, storeGroups } from '../entryIntake.ts';
import { storeDirectly } from './directWriter.ts';
import { type AllowedDatasets, format, hasWriter, type ProtocolOptions } from './protocolFormat.worker.ts';

export type SentDeps = EntryIntakeDeps & { access: Pick<AccessDirectory, 'findProject'> };

type Spelling = Pick<ProtocolOptions, 'protocol'> & {
  /** Returns what the request says besides its body, with a description of each file. */
  describe(files: readonly JsonObject[]): object;
};

/** `datasets`: those the token may write to; null: any. `files`: null: none. */
type SentRequest = IngestRequest & { datasets: ReadonlySet<string> | null; files: MessageFiles | null };

/** Resolves to the answer's content, once all accepted entries are stored. */
export async function ingestSent(
  deps: SentDeps,
  { files, ...request }: SentRequest,
  { protocol, describe }: Spelling,
): Promise<unknown> {
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
  const spell = (attachments: readonly Attachment[]) => {
    const said = describe(attachments.map(describeAttachment));
    return { format, options: { protocol, said, ...places }, rules };
  };
  if (files !== null) return storeWithFiles(deps, request, { files, spell });
  const spelling = spell([]);
  const stored = hasWriter(spelling.options) ? await storeDirectly(deps, request, spelling) : null;
  if (stored !== null) return stored.shown;
  const { groups, shown } = await readEntries(deps, request, spelling);
  await storeGroups(deps, request, { groups, rules });
  return shown;
}

type WithFiles = {
  files: MessageFiles;
  spell(attachments: readonly Attachment[]): {
    format: typeof format;
    options: ProtocolOptions;
    rules: ItemRules;
  };
};

/** Stores files and entries once per key. Protocols with files have one dataset per request, and an entry for files that no other entry names. */
async function storeWithFiles(
  deps: SentDeps,
  request: IngestRequest,
  { files, spell }: WithFiles,
): Promise<unknown> {
  const read = (attachments: readonly Attachment[]) => readEntries(deps, request, spell(attachments));
  const announced = await read(files.announced); // so that everything is checked before anything is stored
  const [group] = announced.groups;
  if (group === undefined) throw new Error('No entry names the files.');
  const target = directTo(request, group.dataset);
  const body = Buffer.concat([request.body, files.fingerprint]);
  const { rules } = spell([]);
  await ingest(
    deps,
    { ...target, body },
    { rules, store: async add => (await addWithFiles({ files, read }, add)).receipt },
  );
  return announced.shown;
}
