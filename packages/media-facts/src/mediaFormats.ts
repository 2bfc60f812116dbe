/** The table of accepted media. All code takes the names, types and extensions of formats from here. */

type FormatRow = {
  name: string;
  /** The common name. */
  title: string;
  mimeType: string;
  /** Without the dot. */
  extension: string;
} & (
  | { type: 'image'; demuxer: null }
  /** FFmpeg's name of the container, for previews. */
  | { type: 'video' | 'audio'; demuxer: string }
);

/** In the order in which messages list them. CONTRACT.md, 3.1. */
// biome-ignore format: a table
export const mediaFormats = [
  { name: 'png', title: 'PNG', type: 'image', mimeType: 'image/png', extension: 'png', demuxer: null },
  { name: 'apng', title: 'APNG', type: 'image', mimeType: 'image/apng', extension: 'png', demuxer: null },
  { name: 'webp', title: 'WebP', type: 'image', mimeType: 'image/webp', extension: 'webp', demuxer: null },
  { name: 'jpeg', title: 'JPEG', type: 'image', mimeType: 'image/jpeg', extension: 'jpg', demuxer: null },
  { name: 'gif', title: 'GIF', type: 'image', mimeType: 'image/gif', extension: 'gif', demuxer: null },
  { name: 'mp3', title: 'MP3', type: 'audio', mimeType: 'audio/mpeg', extension: 'mp3', demuxer: 'mp3' },
  { name: 'mp2', title: 'MPEG', type: 'audio', mimeType: 'audio/mpeg', extension: 'mp2', demuxer: 'mp3' },
  { name: 'oggAudio', title: 'OGG', type: 'audio', mimeType: 'audio/ogg', extension: 'ogg', demuxer: 'ogg' },
  { name: 'webmAudio', title: 'WebM', type: 'audio', mimeType: 'audio/webm', extension: 'weba', demuxer: 'matroska' },
  { name: 'wav', title: 'WAV', type: 'audio', mimeType: 'audio/wav', extension: 'wav', demuxer: 'wav' },
  { name: 'oggVideo', title: 'OGG', type: 'video', mimeType: 'video/ogg', extension: 'ogv', demuxer: 'ogg' },
  { name: 'mp4', title: 'MP4', type: 'video', mimeType: 'video/mp4', extension: 'mp4', demuxer: 'mov' },
  { name: 'mpeg', title: 'MPEG', type: 'video', mimeType: 'video/mpeg', extension: 'mpg', demuxer: 'mpeg' },
  { name: 'webmVideo', title: 'WebM', type: 'video', mimeType: 'video/webm', extension: 'webm', demuxer: 'matroska' },
  { name: 'quicktime', title: 'MOV', type: 'video', mimeType: 'video/quicktime', extension: 'mov', demuxer: 'mov' },
  { name: 'matroska', title: 'MKV', type: 'video', mimeType: 'video/x-matroska', extension: 'mkv', demuxer: 'matroska' },
] as const satisfies readonly FormatRow[];

type MediaFormat = (typeof mediaFormats)[number];
export type MediaFormatName = MediaFormat['name'];
export type MediaType = MediaFormat['type'];

export function findFormat(name: MediaFormatName): MediaFormat {
  const format = mediaFormats.find(each => each.name === name);
  if (format === undefined) throw new Error(`There is no format ${name}.`);
  return format;
}

/** Returns the distinct common names of a type's formats. */
export function listTitles(type: MediaType): string[] {
  return [...new Set(mediaFormats.filter(format => format.type === type).map(({ title }) => title))];
}
