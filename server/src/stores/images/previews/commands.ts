/** FFmpeg commands for each kind of preview, with fallbacks for files that the best one can't handle. */
import { waveformSamplesPerSecond } from './waveform.ts';

/** Returns the command's arguments for the decoder's name of the file. */
export type Command = (input: string) => string[];

type Media = { demuxer: string; durationSeconds: number | null };

const widthMax = 1920; // the largest size that clients can request
const posterSeconds = 3; // the very first pictures are often black
const posterSecondsAtLeast = 1;
const [stripStills, stripWidth, stripHeight] = [4, 480, 270]; // 1,920 pixels in total

const png = [
  '-an',
  '-sn',
  '-dn',
  '-frames:v',
  '1',
  '-c:v',
  'png',
  '-compression_level',
  '1',
  '-f',
  'image2pipe',
];

/** Takes the first key frame after a few seconds and decodes only that; otherwise the picture at one second, or the first one. */
export function listPosterCommands({ demuxer, durationSeconds }: Media): Command[] {
  const half = (durationSeconds ?? 0) / 2;
  const scale = ['-vf', `scale='min(${widthMax},iw)':-2`];
  const show = (seconds: number, ...options: string[]): Command => {
    return input => [...options, ...readFrom({ demuxer, seconds, input }), ...scale, ...png];
  };
  const commands = [show(0)];
  if (half > 0) commands.unshift(show(Math.min(posterSecondsAtLeast, half)));
  if (half > posterSeconds) commands.unshift(show(posterSeconds, '-skip_frame', 'nokey'));
  return commands;
}

/** Puts four key frames side by side, each the nearest before the middle of its quarter, with borders to 16:9. */
export function listStripCommands({ demuxer, durationSeconds }: Media): Command[] {
  const places = Array.from({ length: stripStills }, (_, index) => index);
  const box = `${stripWidth}:${stripHeight}`;
  // A key frame before the seek position would be dropped as too early, so all timestamps become 0.
  const fit = `setpts=0,scale=${box}:force_original_aspect_ratio=decrease,pad=${box}:-1:-1,setsar=1,format=rgb24`;
  const fits = places.map(index => `[${index}:v:0]${fit}[still${index}]`);
  const row = `${places.map(index => `[still${index}]`).join('')}hstack=inputs=${stripStills}`;
  const from = (input: string, index: number) => {
    const seconds = ((durationSeconds ?? 0) * (index + 0.5)) / stripStills;
    return ['-noaccurate_seek', '-skip_frame', 'nokey', ...readFrom({ demuxer, seconds, input })];
  };
  return [
    input => [
      ...places.flatMap(index => from(input, index)),
      '-filter_complex',
      [...fits, row].join(';'),
      ...png,
    ],
  ];
}

/** Decodes a single coarse channel, which is enough for loudness. */
export function listWaveformCommands({ demuxer }: Media): Command[] {
  const output = ['-vn', '-sn', '-dn', '-ac', '1', '-ar', String(waveformSamplesPerSecond), '-c:a', 'pcm_s8'];
  return [input => [...readFrom({ demuxer, seconds: 0, input }), ...output, '-f', 's8']];
}

function readFrom({
  demuxer,
  seconds,
  input,
}: {
  demuxer: string;
  seconds: number;
  input: string;
}): string[] {
  const seek = seconds > 0 ? ['-ss', seconds.toFixed(3)] : [];
  return ['-protocol_whitelist', 'file', '-f', demuxer, ...seek, '-i', input];
}
