/** Tests that locations disappear from encoders' files and from broken ones, while all else stays. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import sharp from 'sharp';
import { findLocations, identifyMedia, UnsupportedMedia } from '../identification.ts';

const folder = mkdtempSync(join(tmpdir(), 'tapedeck-places-'));
after(() => rmSync(folder, { recursive: true, force: true }));

async function strip(bytes: Buffer): Promise<Buffer> {
  const read = async (offset: number, length: number) => bytes.subarray(offset, offset + length);
  const source = { sizeBytes: bytes.length, read };
  const { mimeType } = await identifyMedia(source);
  const stripped = Buffer.from(bytes);
  for (const patch of await findLocations(source, mimeType)) patch.bytes.copy(stripped, patch.offset);
  assert.deepEqual(
    (await identifyMedia({ ...source, read: async (at, length) => stripped.subarray(at, at + length) }))
      .mimeType,
    mimeType,
  );
  return stripped;
}

const exif = {
  IFD0: { Copyright: 'somebody', Software: 'a camera' },
  IFD3: {
    GPSLatitudeRef: 'N',
    GPSLatitude: '51/1 30/1 32315/100',
    GPSLongitudeRef: 'W',
    GPSLongitude: '0/1 7/1 4217/100',
  },
};
const xmp =
  '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
  '<rdf:Description xmlns:exif="http://ns.adobe.com/exif/1.0/" xmlns:tiff="http://ns.adobe.com/tiff/1.0/" ' +
  'exif:GPSLatitude="51,30.5385N" tiff:Make="a maker"><exif:GPSLongitude>0,7.7028W</exif:GPSLongitude>' +
  '</rdf:Description></rdf:RDF></x:xmpmeta>';

const picture = () =>
  sharp({ create: { width: 64, height: 48, channels: 3, background: '#a04020' } })
    .withExif(exif)
    .withXmp(xmp);
const pictures: Record<string, () => Promise<Buffer>> = {
  JPEG: () => picture().jpeg().toBuffer(),
  PNG: () => picture().png().toBuffer(),
  WebP: () => picture().webp().toBuffer(),
};

describe('a picture', () => {
  for (const [title, make] of Object.entries(pictures)) {
    it(`as ${title} keeps its pixels, its length and its other metadata`, async () => {
      const before = await make();
      const stripped = await strip(before);
      assert.equal(stripped.length, before.length);
      const [facts, factsBefore] = [await sharp(stripped).metadata(), await sharp(before).metadata()];
      const metadata = facts.exif?.toString('latin1') ?? '';
      const digits = Buffer.of(51, 0, 0, 0, 1, 0, 0, 0, 30, 0, 0, 0, 1);
      assert.ok(factsBefore.exif?.includes(digits), 'the place was there');
      assert.ok(!metadata.includes(digits.toString('latin1')));
      assert.match(metadata, /somebody/);
      assert.match(metadata, /a camera/);
      const packet = facts.xmp?.toString() ?? '';
      assert.doesNotMatch(packet, /51,30|0,7\.7/);
      // PNG compresses the packet, so it is removed entirely.
      assert.equal(/tiff:Make="a maker"/.test(packet), title !== 'PNG');
      assert.deepEqual(await sharp(stripped).raw().toBuffer(), await sharp(before).raw().toBuffer());
      assert.deepEqual(await strip(stripped), stripped, 'a second time nothing changes');
    });
  }

  it('without locations stays unchanged', async () => {
    const plain = await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
      .withExif({ IFD0: { Copyright: 'somebody' } })
      .jpeg()
      .toBuffer();
    assert.deepEqual(await strip(plain), plain);
  });

  it('with unreadable EXIF loses all of it', async () => {
    const torn = await pictures.JPEG!();
    const at = torn.indexOf('Exif\0\0') + 6;
    torn.writeUInt32LE(0xffff, at + 4); // points the first directory outside the file
    const stripped = await strip(torn);
    assert.ok(!stripped.includes('somebody'));
    assert.equal(stripped.length, torn.length);
  });

  it('with packed EXIF in text chunks loses them', async () => {
    const plain = await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    const { crc32 } = await import('node:zlib');
    const body = Buffer.from('tEXtRaw profile type exif\0\nexif\n 4\n51304e\n', 'latin1');
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(body.length - 4);
    sum.writeUInt32BE(crc32(body));
    const end = plain.length - 12;
    const packed = Buffer.concat([plain.subarray(0, end), length, body, sum, plain.subarray(end)]);
    const stripped = await strip(packed);
    assert.ok(!stripped.includes('51304e'));
    assert.deepEqual(await sharp(stripped).raw().toBuffer(), await sharp(plain).raw().toBuffer());
  });
});

describe('a video', () => {
  const make = (name: string, flags: string[]) => {
    const path = join(folder, name);
    const source = ['-f', 'lavfi', '-i', 'color=size=64x48:rate=5:duration=1', '-pix_fmt', 'yuv420p'];
    const tags = ['-metadata', 'location=+51.5074-000.1278/', '-metadata', 'title=a title'];
    const place = ['-metadata', 'com.apple.quicktime.location.ISO6709=+51.5074-000.1278/'];
    execFileSync('ffmpeg', ['-v', 'error', '-y', ...source, ...tags, ...place, ...flags, path]);
    return readFileSync(path);
  };
  const videos: [string, string[]][] = [
    ['keys.mp4', ['-movflags', 'use_metadata_tags']],
    ['front.mp4', ['-movflags', 'use_metadata_tags+faststart']],
    ['a.mov', []],
    ['keys.mov', ['-movflags', 'use_metadata_tags']],
  ];
  for (const [name, flags] of videos) {
    it(`${name} ${flags.join(' ')} keeps its length, its frames and its title`, async () => {
      const before = make(name, flags);
      assert.ok(before.includes('+51.5074'), 'the place was there');
      const stripped = await strip(before);
      assert.equal(stripped.length, before.length);
      assert.ok(!stripped.includes('51.5074'));
      assert.ok(stripped.includes('a title'));
      const hash = (bytes: Buffer) =>
        execFileSync('ffmpeg', ['-v', 'error', '-i', '-', '-f', 'md5', '-'], { input: bytes }).toString();
      assert.equal(hash(stripped), hash(before));
    });
  }
});

describe('a video with XMP too long to search', () => {
  const xmpId = Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex');
  const film = Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0mp42isom', 'latin1');
  const long = (text: string) => Buffer.from(text.repeat(1024 ** 2 / 8), 'latin1');
  const box = (type: string, ...content: Buffer[]) => {
    const bytes = Buffer.concat([Buffer.alloc(4), Buffer.from(type), ...content]);
    bytes.writeUInt32BE(bytes.length);
    return bytes;
  };
  const stripFilm = async (...boxes: Buffer[]) => {
    const before = Buffer.concat([film, ...boxes]);
    const read = async (offset: number, length: number) => before.subarray(offset, offset + length);
    const stripped = Buffer.from(before);
    for (const patch of await findLocations({ sizeBytes: before.length, read }, 'video/mp4'))
      patch.bytes.copy(stripped, patch.offset);
    return { before, stripped };
  };

  for (const [type, id] of [
    ['uuid', xmpId],
    ['XMP_', Buffer.alloc(0)],
  ] as const)
    it(`in ${type} loses all of it`, async () => {
      const tail = box('free', Buffer.from('the end'));
      const { before, stripped } = await stripFilm(box(type, id, long('GPS="51.5"')), tail);
      assert.ok(!stripped.includes('51.5'));
      assert.equal(stripped.length, before.length);
      assert.ok(stripped.subarray(-tail.length).equals(tail));
    });

  it('keeps the long box of another program', async () => {
    const { before, stripped } = await stripFilm(box('uuid', Buffer.alloc(16, 1), long('frames--')));
    assert.ok(stripped.equals(before));
  });
});

it('rejects a file with too much metadata to search', async () => {
  const chunk = Buffer.from('\0\0\0\0gAMA....', 'latin1');
  const endless = Buffer.concat([Buffer.alloc(8), ...Array.from({ length: 20_001 }, () => chunk)]);
  const read = async (offset: number, length: number) => endless.subarray(offset, offset + length);
  await assert.rejects(findLocations({ sizeBytes: endless.length, read }, 'image/png'), UnsupportedMedia);
});

it('hostile XMP takes time that grows only with its length', async () => {
  const { blankXmp } = await import('./xmpLocations.ts');
  for (const piece of ['<a:GPS', '<a:GPS>', 'a:GPS="', ':GPS ', 'a'.repeat(64), ':GPS=\'"'])
    blankXmp(Buffer.from(piece.repeat(200_000 / piece.length)));
});
