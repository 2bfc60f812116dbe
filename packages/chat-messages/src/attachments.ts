/** Writes the files of a chat message into the metadata of its first entry, and reads them from there. */
import { addFitted, type FittedMetadata } from '@tapedeck/log-entries';

/** A stored file and its location. */
export type KeptAttachment = {
  filename: string;
  mimeType: string;
  sizeBytes: number;
  id: string;
  url: string;
  width: number | null;
  height: number | null;
};

/** A file that was not stored, with the reason as a sentence. */
type RefusedAttachment = { filename: string; refusal: string };

export type Attachment = KeptAttachment | RefusedAttachment;

const root = 'attachments';

export function addAttachments(metadata: FittedMetadata, attachments: readonly Attachment[]): void {
  attachments.forEach((attachment, index) => {
    for (const [name, value] of Object.entries(describeAttachment(attachment))) {
      if (value !== null) addFitted(metadata, `${root}.${index}.${name}`, value);
    }
  });
}

/** Returns metadata that describes a file. */
export function describeAttachment(attachment: Attachment): Record<string, string | number | null> {
  const { filename } = attachment;
  if ('refusal' in attachment) return { filename, refused: attachment.refusal };
  const { url, id, mimeType, sizeBytes, width, height } = attachment;
  return { filename, url, id, content_type: mimeType, size: sizeBytes, width, height };
}

/** Reads the stored files from an entry's metadata, in order. */
export function readKeptAttachments(metadata: Readonly<Record<string, string>>): KeptAttachment[] {
  const kept: KeptAttachment[] = [];
  for (let index = 0; metadata[`${root}.${index}.filename`] !== undefined; index++) {
    const read = (name: string) => metadata[`${root}.${index}.${name}`];
    const [filename = '', url, id, mimeType = ''] = ['filename', 'url', 'id', 'content_type'].map(read);
    if (url === undefined || id === undefined) continue;
    const [sizeBytes, width, height] = ['size', 'width', 'height'].map(name => readNumber(read(name)));
    kept.push({
      filename,
      mimeType,
      id,
      url,
      sizeBytes: sizeBytes ?? 0,
      width: width ?? null,
      height: height ?? null,
    });
  }
  return kept;
}

function readNumber(text: string | undefined): number | null {
  return text === undefined ? null : Number(text);
}

/** Embeds refer to files of their message by name. */
const pointer = 'attachment://';

/** Replaces references to a stored file with its URL. */
export function resolvePointers(leaves: FittedMetadata, attachments: readonly Attachment[]): void {
  for (const [path, value] of leaves) {
    if (!value.startsWith(pointer)) continue;
    const meant = attachments.find(({ filename }) => filename === value.slice(pointer.length));
    if (meant !== undefined && 'url' in meant) leaves.set(path, meant.url);
  }
}
