/** Reads the XML of ListObjectsV2: machine-made, flat, and with keys that hold no markup. */

export type S3ListedObject = { key: string; sizeBytes: number; modifiedAt: number };
type S3ListPage = { objects: S3ListedObject[]; continuationToken: string | null };

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

/** The text within the first element of the name, as it is escaped. */
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
