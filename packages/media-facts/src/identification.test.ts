/** Tests that every accepted format from real encoders is identified, with size and duration. */

import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import sharp from 'sharp';
import { makeSamples, type SampleRecipe } from '../samples/generator.ts';
import { openBuffer } from '../samples/sources.ts';
import { identifyMedia, sniffMedia, UnsupportedMedia } from './identification.ts';
import { mediaFormats } from './mediaFormats.ts';

type Row = SampleRecipe & {
  readonly mime: string;
  readonly ending: string;
  /** `width x height` after orientation. */
  readonly size?: string;
  readonly seconds?: number;
};

const secondsTolerance = 0.25; // encoders pad, round to frames and start late
const picture = { mime: 'image/png', ending: 'png', size: '64x48' };
const jpeg = { mime: 'image/jpeg', ending: 'jpg', size: '64x48' };
const gif = { mime: 'image/gif', ending: 'gif', size: '64x48' };
const webp = { mime: 'image/webp', ending: 'webp', size: '64x48' };
const mp3 = { mime: 'audio/mpeg', ending: 'mp3', seconds: 1 };
const mp2 = { mime: 'audio/mpeg', ending: 'mp2', seconds: 1 };
const oggAudio = { mime: 'audio/ogg', ending: 'ogg', seconds: 1 };
const oggVideo = { mime: 'video/ogg', ending: 'ogv', size: '64x48', seconds: 1 };
const webmAudio = { mime: 'audio/webm', ending: 'weba', seconds: 1 };
const webmVideo = { mime: 'video/webm', ending: 'webm', size: '64x48', seconds: 1 };
const wav = { mime: 'audio/wav', ending: 'wav', seconds: 1 };
const mp4 = { mime: 'video/mp4', ending: 'mp4', size: '64x48', seconds: 1 };
const mov = { mime: 'video/quicktime', ending: 'mov', size: '64x48', seconds: 1 };
const mkv = { mime: 'video/x-matroska', ending: 'mkv', size: '64x48', seconds: 1 };
const mpeg = { mime: 'video/mpeg', ending: 'mpg', size: '64x48', seconds: 1 };
const bareMpeg = { mime: 'video/mpeg', ending: 'mpg', size: '64x48' };

const rows: readonly Row[] = [
  { file: 'colour.png', make: '-frames:v 1 -an', ...picture },
  { file: 'palette.png', make: '-frames:v 1 -an -pix_fmt pal8', ...picture },
  { file: 'grey.png', make: '-frames:v 1 -an -pix_fmt gray', ...picture },
  { file: 'bits.png', make: '-frames:v 1 -an -pix_fmt monob', ...picture },
  { file: 'deep.png', make: '-frames:v 1 -an -pix_fmt rgba64be', ...picture },
  { file: 'animated.apng', make: '-an', ...picture, mime: 'image/apng', seconds: 1 },
  { file: 'still.jpg', make: '-frames:v 1 -an', ...jpeg },
  { file: 'grey.jpg', make: '-frames:v 1 -an -pix_fmt gray', ...jpeg },
  { file: 'full.jpg', make: '-frames:v 1 -an -pix_fmt yuvj444p', ...jpeg },
  { file: 'animated.gif', make: '-an', ...gif, seconds: 1 },
  { file: 'still.gif', make: '-frames:v 1 -an', ...gif },
  { file: 'lossy.webp', make: '-frames:v 1 -an', ...webp },
  { file: 'lossless.webp', make: '-frames:v 1 -an -lossless 1', ...webp },
  { file: 'alpha.webp', make: '-frames:v 1 -an -vf format=yuva420p,colorchannelmixer=aa=0.5', ...webp },
  { file: 'animated.webp', make: '-an -c:v libwebp_anim', ...webp, seconds: 1 },
  { file: 'constant.mp3', make: '-vn', ...mp3 },
  { file: 'variable.mp3', make: '-vn -q:a 2', ...mp3 },
  { file: 'bare.mp3', make: '-vn -write_xing 0 -id3v2_version 0', ...mp3 },
  { file: 'bareVariable.mp3', make: '-vn -q:a 2 -write_xing 0 -id3v2_version 0', ...mp3 },
  { file: 'slow.mp3', make: '-vn -ac 1 -ar 8000 -b:a 8k', ...mp3 },
  { file: 'shine.mp3', make: '-vn -c:a libshine', ...mp3 },
  { file: 'tagged.mp3', make: '-vn -metadata title=Tape -id3v2_version 4 -write_id3v1 1', ...mp3 },
  { file: 'cover.mp3', make: '-map 1:a -map 0:v -frames:v 1 -c:v png -disposition:v attached_pic', ...mp3 },
  { file: 'layer2.mp2', make: '-vn', ...mp2 },
  { file: 'twolame.mp2', make: '-vn -c:a libtwolame -ar 22050 -b:a 64k', ...mp2 },
  { file: 'vorbis.ogg', make: '-vn -c:a libvorbis', ...oggAudio },
  { file: 'opus.opus', make: '-vn', ...oggAudio },
  { file: 'speex.spx', make: '-vn -c:a libspeex -ar 16000 -f ogg', ...oggAudio },
  { file: 'flac.oga', make: '-vn', ...oggAudio },
  { file: 'theora.ogv', make: '-an', ...oggVideo },
  { file: 'theoraVorbis.ogv', make: '', ...oggVideo },
  { file: 'vp8.ogv', make: '-an -c:v libvpx', ...oggVideo },
  { file: 'opus.weba', make: '-vn -c:a libopus -f webm', ...webmAudio },
  { file: 'vorbis.weba', make: '-vn -c:a libvorbis -f webm', ...webmAudio },
  { file: 'vp8.webm', make: '-c:v libvpx', ...webmVideo },
  { file: 'vp9.webm', make: '-an -c:v libvpx-vp9', ...webmVideo },
  { file: 'av1.webm', make: '-c:v libsvtav1 -preset 12 -s 64x64', ...webmVideo, size: '64x64' },
  { file: 'live.webm', make: '-c:v libvpx -live 1', ...webmVideo },
  { file: 'cues.webm', make: '-c:v libvpx -cues_to_front 1', ...webmVideo },
  { file: 'pcm8.wav', make: '-vn -c:a pcm_u8', ...wav },
  { file: 'pcm16.wav', make: '-vn', ...wav },
  { file: 'pcm24.wav', make: '-vn -c:a pcm_s24le', ...wav },
  { file: 'float.wav', make: '-vn -c:a pcm_f32le', ...wav },
  { file: 'double.wav', make: '-vn -c:a pcm_f64le', ...wav },
  { file: 'alaw.wav', make: '-vn -c:a pcm_alaw', ...wav },
  { file: 'adpcm.wav', make: '-vn -c:a adpcm_ms', ...wav },
  { file: 'ima.wav', make: '-vn -c:a adpcm_ima_wav', ...wav },
  { file: 'mp3.wav', make: '-vn -c:a libmp3lame', ...wav },
  { file: 'surround.wav', make: '-vn -ac 6', ...wav },
  { file: 'long.wav', make: '-vn -rf64 always', ...wav },
  {
    file: 'described.wav',
    make: '-vn -metadata title=Tape -write_bext 1 -metadata description=Deck',
    ...wav,
  },
  { file: 'h264.mp4', make: '', ...mp4 },
  { file: 'faststart.mp4', make: '-movflags +faststart', ...mp4 },
  { file: 'silent.mp4', make: '-an', ...mp4 },
  { file: 'fragmented.mp4', make: '-movflags frag_keyframe+empty_moov -g 3', ...mp4 },
  { file: 'fragmentedLate.mp4', make: '-movflags frag_keyframe -g 3', ...mp4 },
  { file: 'dash.mp4', make: '-movflags +dash+delay_moov -g 3', ...mp4 },
  { file: 'smooth.mp4', make: '-f ismv', ...mp4 },
  { file: 'h265.mp4', make: '-c:v libx265 -x265-params log-level=none -tag:v hvc1', ...mp4 },
  { file: 'vp9.mp4', make: '-c:v libvpx-vp9', ...mp4 },
  { file: 'mpeg4.mp4', make: '-c:v mpeg4', ...mp4 },
  { file: 'itunes.m4v', make: '', ...mp4 },
  { file: 'h264.mov', make: '', ...mov },
  { file: 'faststart.mov', make: '-movflags +faststart', ...mov },
  { file: 'prores.mov', make: '-an -c:v prores', ...mov },
  { file: 'mjpeg.mov', make: '-c:v mjpeg -c:a pcm_s16le', ...mov },
  { file: 'animation.mov', make: '-an -c:v qtrle', ...mov },
  { file: 'h264.mkv', make: '', ...mkv },
  { file: 'lossless.mkv', make: '-c:v ffv1 -c:a flac', ...mkv },
  { file: 'mpeg4.mkv', make: '-c:v mpeg4 -c:a libmp3lame', ...mkv },
  { file: 'live.mkv', make: '-live 1', ...mkv },
  { file: 'reserved.mkv', make: '-reserve_index_space 5000', ...mkv },
  { file: 'mpeg1.mpg', make: '-r 25', ...mpeg },
  { file: 'mpeg2.mpg', make: '-r 25 -c:v mpeg2video -f mpeg', ...mpeg },
  { file: 'disc.vob', make: '-r 25 -f vob -c:a ac3', ...mpeg },
  { file: 'video.vcd', make: '-r 25 -f vcd -s 352x288 -b:v 1150k', ...mpeg, size: '352x288' },
  { file: 'super.svcd', make: '-r 25 -c:v mpeg2video -f svcd', ...mpeg },
  { file: 'silent.mpg', make: '-r 25 -an', ...mpeg },
  { file: 'h264.vob', make: '-c:v libx264 -f vob', mime: 'video/mpeg', ending: 'mpg', seconds: 1 },
  { file: 'bare.m1v', make: '-r 25 -an -c:v mpeg1video', ...bareMpeg },
  { file: 'bare.m2v', make: '-r 25 -an -c:v mpeg2video', ...bareMpeg },
];

let samples: Map<string, Buffer>;

function readSample(file: string): Buffer {
  const bytes = samples.get(file);
  assert.ok(bytes, `no sample ${file}`);
  return bytes;
}

before(async () => {
  samples = await makeSamples(rows);
});

test('each accepted format has a sample', () => {
  for (const { name, mimeType, extension } of mediaFormats) {
    const isSampled = rows.some(({ mime, ending }) => mime === mimeType && ending === extension);
    assert.ok(isSampled, `${name} needs a row in this file`);
  }
});

for (const row of rows) {
  test(`${row.file} is ${row.mime}`, async () => {
    const bytes = readSample(row.file);
    const media = await identifyMedia(openBuffer(bytes));
    assert.equal(media.mimeType, row.mime);
    assert.equal(media.extension, row.ending);
    assert.equal(media.type, row.mime.split('/', 1)[0]);
    assert.equal(media.width === undefined ? undefined : `${media.width}x${media.height}`, row.size);
    const isAsLong =
      row.seconds === undefined
        ? media.durationSeconds === undefined
        : Math.abs((media.durationSeconds ?? 0) - row.seconds) <= secondsTolerance;
    assert.ok(isAsLong, `lasts ${media.durationSeconds} s`);
    assert.ok(sniffMedia(bytes.subarray(0, 16)).includes(media.type), 'the first bytes let it pass');
  });
}

test('a file cut after its first frame keeps its type, however short', async () => {
  for (const { file, mime } of rows) {
    const bytes = readSample(file);
    let isAccepted = false;
    let cuts = 0;
    for (let length = 0; length <= bytes.length; length += Math.max(1, Math.floor(bytes.length / 61))) {
      const answer = await identifyMedia(openBuffer(bytes.subarray(0, length))).catch((error: unknown) => {
        assert.ok(error instanceof UnsupportedMedia, String(error));
      });
      assert.ok(
        answer !== undefined || !isAccepted,
        `${file} is refused at ${length} bytes, accepted before`,
      );
      isAccepted ||= answer !== undefined;
      if (answer) {
        assert.equal(answer.mimeType, mime, `${file} at ${length} bytes`);
        cuts += 1;
      }
    }
    // A cut destroys movies that have their index at the end.
    if (!file.endsWith('mp4') && !file.endsWith('mov') && !file.endsWith('m4v'))
      assert.ok(cuts > 5, `${file}: ${cuts}`);
  }
});

test('ignores bytes after a valid end', async () => {
  for (const { file, mime } of rows) {
    const bytes = Buffer.concat([readSample(file), Buffer.from('<script>alert(1)</script>PK\x03\x04')]);
    const media = await identifyMedia(openBuffer(bytes));
    assert.equal(media.mimeType, mime, file);
  }
});

test('pictures from another encoder (sharp)', async () => {
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
  const base = await sharp({ create: { width: 40, height: 24, channels: 3, background: 'red', noise } })
    .png()
    .toBuffer();
  const frames = [base, await sharp(base).negate().png().toBuffer()];
  const turned = (orientation: number) => sharp(base).withMetadata({ orientation });
  const pictures: readonly [string, Promise<Buffer>, string, string, number?][] = [
    ['progressive', sharp(base).jpeg({ progressive: true }).toBuffer(), 'image/jpeg', '40x24'],
    ['CMYK', sharp(base).toColourspace('cmyk').jpeg().toBuffer(), 'image/jpeg', '40x24'],
    ['trellis', sharp(base).jpeg({ mozjpeg: true }).toBuffer(), 'image/jpeg', '40x24'],
    ['profile', sharp(base).withIccProfile('p3').jpeg().toBuffer(), 'image/jpeg', '40x24'],
    ['upside down', turned(3).jpeg().toBuffer(), 'image/jpeg', '40x24'],
    ['on its side', turned(6).jpeg().toBuffer(), 'image/jpeg', '24x40'],
    ['PNG on its side', turned(8).png().toBuffer(), 'image/png', '24x40'],
    ['WebP on its side', turned(5).webp().toBuffer(), 'image/webp', '24x40'],
    ['interlaced', sharp(base).png({ progressive: true }).toBuffer(), 'image/png', '40x24'],
    ['near lossless', sharp(base).webp({ nearLossless: true }).toBuffer(), 'image/webp', '40x24'],
    ['translucent', sharp(base).ensureAlpha(0.5).webp().toBuffer(), 'image/webp', '40x24'],
    [
      'GIF',
      sharp(frames, { join: { animated: true } })
        .gif({ delay: [100, 200] })
        .toBuffer(),
      'image/gif',
      '40x24',
      0.3,
    ],
    [
      'animated',
      sharp(frames, { join: { animated: true } })
        .webp({ delay: [100, 200] })
        .toBuffer(),
      'image/webp',
      '40x24',
      0.3,
    ],
  ];
  for (const [name, bytes, mime, size, seconds] of pictures) {
    const media = await identifyMedia(openBuffer(await bytes));
    assert.equal(`${media.mimeType} ${media.width}x${media.height}`, `${mime} ${size}`, name);
    assert.equal(media.durationSeconds, seconds, name);
  }
});
