/** Accepts chat messages. Stores their files first, and removes them if the entries cannot be stored. */
import type { Attachment, ChatOptions } from '@tapedeck/chat-messages';
import type { MessageFiles } from '@tapedeck/domain/files/messageFiles';
import {
  type AddEntries,
  type IngestReceipt,
  type IngestRequest,
  ingest,
  readRules,
} from '@tapedeck/domain/logs/intake/ingest';
import type { LogLevel } from '@tapedeck/log-entries';
import { addWithFiles } from '../entriesWithFiles.ts';
import { type EntryIntakeDeps, readEntries } from '../entryIntake.ts';
import { format } from './chatFormat.worker.ts';

type ChatRequest = IngestRequest & {
  form?: ChatOptions['form'];
  level?: LogLevel | null;
  files?: MessageFiles | null;
};

/** `attachments`: null for a repeat, because the first entry of the stored message names them. */
type ChatReceipt = IngestReceipt & { shown: unknown; attachments: readonly Attachment[] | null };

/** Stores a webhook payload. All other entries are children of its first one. */
export async function ingestChat(deps: EntryIntakeDeps, request: ChatRequest): Promise<ChatReceipt> {
  const { form = 'embeds', level = null, files = null } = request;
  const rules = readRules(deps, request);
  const read = (attachments: readonly Attachment[]) =>
    readEntries(deps, request, { format, options: { form, level, attachments }, rules });
  const announced = await read(files?.announced ?? []); // so that everything is checked before anything is stored
  let attachments: readonly Attachment[] | null = files === null ? [] : null;
  const store = async (add: AddEntries) => {
    if (files === null) return add(announced.write);
    const added = await addWithFiles({ files, read }, add);
    attachments = added.attachments;
    return added.receipt;
  };
  const receipt = await ingest(deps, identify(request), { rules, store });
  return { ...receipt, shown: announced.shown, attachments };
}

const noBytes = Buffer.alloc(0);

/** The request to compare keys by, with its level and files in the body. */
function identify(request: ChatRequest): IngestRequest {
  const { body, level, files } = request;
  if (!level && !files) return request;
  return { ...request, body: Buffer.concat([body, Buffer.from(level ?? ''), files?.fingerprint ?? noBytes]) };
}
