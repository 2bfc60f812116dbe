/** Copies within a bucket: objects up to `copyBytesMax` in one call, larger ones in parts. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { encodeKey } from '@tapedeck/web/percent-encoding';
import type { S3Client } from './client.ts';
import { elementOf } from './listing.ts';

const partsMax = 10_000; // S3's limit per object
const copiesAtOnceMax = 8; // joins a 4 GiB upload in a few seconds

type Bucket = { client: S3Client; bucket: string };
/** The range excludes its end. Without a range, the whole object. */
type Source = { key: string; range?: { start: number; end: number } };
type Target = { key: string; headers: Record<string, string> };

/** `headers` are the copy's; null keeps the original's. Returns false if there is no original. */
export async function copyObject(
  { client, bucket }: Bucket,
  from: string,
  { key, headers }: { key: string; headers: Record<string, string> | null },
): Promise<boolean> {
  const original = await client.call({ method: 'HEAD', key: from }, [404]);
  if (original.status === 404) return false;
  const sizeBytes = Number(original.headers['content-length']);
  const { copyBytesMax } = client.timeouts;
  if (sizeBytes <= copyBytesMax) {
    const directive = headers === null ? {} : { 'x-amz-metadata-directive': 'REPLACE' };
    const source = { 'x-amz-copy-source': nameSource(bucket, from) };
    const request = { method: 'PUT', key, headers: { ...headers, ...source, ...directive } } as const;
    return (await client.call(request, [404])).status !== 404;
  }
  const partBytes = Math.max(copyBytesMax, Math.ceil(sizeBytes / partsMax));
  const sources = Array.from({ length: Math.ceil(sizeBytes / partBytes) }, (_, index) => ({
    key: from,
    range: { start: index * partBytes, end: Math.min((index + 1) * partBytes, sizeBytes) },
  }));
  return await joinObjects({ client, bucket }, sources, {
    key,
    headers: headers ?? describe(original.headers),
  });
}

/** Returns the attributes that a multipart copy doesn't keep by itself. */
function describe(original: Readonly<Record<string, unknown>>): Record<string, string> {
  const names = ['content-type', 'cache-control'];
  return Object.fromEntries(
    names.flatMap(name => (original[name] === undefined ? [] : [[name, String(original[name])]])),
  );
}

/** Joins objects in order into one, with S3's multipart upload. Returns false and leaves nothing if one of them is gone. */
export async function joinObjects(
  { client, bucket }: Bucket,
  sources: readonly Source[],
  { key, headers }: Target,
): Promise<boolean> {
  const begun = await client.call({ method: 'POST', key, headers, query: { uploads: '' } });
  const uploadId = elementOf(begun.text, 'UploadId');
  const abort = () =>
    client.call({ method: 'DELETE', key, query: { uploadId } }, [404]).catch(() => undefined);
  try {
    const tags = await copyParts({ client, bucket }, sources, { key, uploadId });
    if (tags === null) {
      await abort();
      return false;
    }
    const list = tags.map(
      (tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag}</ETag></Part>`,
    );
    const text = `<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`;
    await client.call({ method: 'POST', key, query: { uploadId }, payload: payloadOf(text) });
    return true;
  } catch (error) {
    await abort();
    throw error;
  }
}

/** Returns the tags of the parts in order, or null if a source is gone. */
async function copyParts(
  { client, bucket }: Bucket,
  sources: readonly Source[],
  { key, uploadId }: { key: string; uploadId: string },
): Promise<string[] | null> {
  const tags: string[] = [];
  let isMissing = false;
  const remaining = sources.entries();
  const copyNext = async (): Promise<void> => {
    for (const [index, { key: from, range }] of remaining) {
      if (isMissing) return;
      const query = { partNumber: String(index + 1), uploadId };
      const headers = { 'x-amz-copy-source': nameSource(bucket, from), ...writeRange(range) };
      const { status, text } = await client.call({ method: 'PUT', key, query, headers }, [404]);
      if (status === 404) isMissing = true;
      tags[index] = elementOf(text, 'ETag');
    }
  };
  await Promise.all(Array.from({ length: copiesAtOnceMax }, copyNext));
  return isMissing ? null : tags;
}

function writeRange(range: Source['range']): Record<string, string> {
  return range === undefined ? {} : { 'x-amz-copy-source-range': `bytes=${range.start}-${range.end - 1}` };
}

function nameSource(bucket: string, key: string): string {
  return `/${bucket}/${encodeKey(key)}`;
}

function payloadOf(text: string) {
  return {
    sizeBytes: Buffer.byteLength(text),
    sha256: createHash('sha256').update(text).digest('hex'),
    open: async () => Readable.from([Buffer.from(text)]),
  };
}
