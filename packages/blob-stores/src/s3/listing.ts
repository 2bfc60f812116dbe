/** Lists a bucket. The XML of ListObjectsV2 is machine-made and flat, and its keys hold no markup. */
import type { S3Client } from './client.ts';

type S3ListedObject = { key: string; sizeBytes: number; modifiedAt: number };
type S3ListPage = { objects: S3ListedObject[]; continuationToken: string | null };

/** Lists objects by key, after the given one if there is one. */
export async function* listKeys(
  client: S3Client,
  prefix: string,
  after: string | null = null,
): AsyncGenerator<S3ListedObject> {
  let continuationToken: string | null = null;
  do {
    const query: Record<string, string> = { 'list-type': '2', 'max-keys': '1000', 'encoding-type': 'url' };
    if (prefix !== '') query.prefix = prefix;
    if (after !== null && continuationToken === null) query['start-after'] = after;
    if (continuationToken !== null) query['continuation-token'] = continuationToken;
    const page = parseListPage((await client.call({ method: 'GET', key: '', query })).text);
    yield* page.objects;
    continuationToken = page.continuationToken;
  } while (continuationToken !== null);
}

export function parseListPage(xml: string): S3ListPage {
  const isUrlEncoded = elementOf(xml, 'EncodingType') === 'url';
  const objects: S3ListedObject[] = [];
  for (const [, contents = ''] of xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
    const key = unescapeXml(elementOf(contents, 'Key'));
    objects.push({
      key: isUrlEncoded ? decodeURIComponent(key.replaceAll('+', ' ')) : key,
      sizeBytes: Number(elementOf(contents, 'Size')),
      modifiedAt: Date.parse(elementOf(contents, 'LastModified')),
    });
  }
  const isTruncated = elementOf(xml, 'IsTruncated') === 'true';
  return {
    objects,
    continuationToken: isTruncated ? unescapeXml(elementOf(xml, 'NextContinuationToken')) : null,
  };
}

/** Returns the text of the first element with this name, still escaped. */
export function elementOf(xml: string, name: string): string {
  return new RegExp(`<${name}>(.*?)</${name}>`, 's').exec(xml)?.[1] ?? '';
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescapeXml(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]+)|#([0-9]+)|(amp|lt|gt|quot|apos));/gi, (_, hex, decimal, name) =>
    name === undefined
      ? String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16))
      : (entities[name] ?? ''),
  );
}
