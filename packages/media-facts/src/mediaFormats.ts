/** The media that are accepted, as one table. All code that names formats, types or extensions takes them from here. */

type FormatRow = {
  name: string;
  /** The common name. */
  title: string;
  type: 'image' | 'video' | 'audio';
  mimeType: string;
  /** The extension without its dot. */
  extension: string;
};

/** In the order in which they are listed for people. CONTRACT.md, 3.1. */
export const mediaFormats = [
  { name: 'png', title: 'PNG', type: 'image', mimeType: 'image/png', extension: 'png' },
  { name: 'apng', title: 'APNG', type: 'image', mimeType: 'image/apng', extension: 'png' },
  { name: 'webp', title: 'WebP', type: 'image', mimeType: 'image/webp', extension: 'webp' },
  { name: 'jpeg', title: 'JPEG', type: 'image', mimeType: 'image/jpeg', extension: 'jpg' },
  { name: 'gif', title: 'GIF', type: 'image', mimeType: 'image/gif', extension: 'gif' },
  { name: 'mp3', title: 'MP3', type: 'audio', mimeType: 'audio/mpeg', extension: 'mp3' },
  { name: 'mp2', title: 'MPEG', type: 'audio', mimeType: 'audio/mpeg', extension: 'mp2' },
  { name: 'oggAudio', title: 'OGG', type: 'audio', mimeType: 'audio/ogg', extension: 'ogg' },
  { name: 'webmAudio', title: 'WebM', type: 'audio', mimeType: 'audio/webm', extension: 'weba' },
  { name: 'wav', title: 'WAV', type: 'audio', mimeType: 'audio/wav', extension: 'wav' },
  { name: 'oggVideo', title: 'OGG', type: 'video', mimeType: 'video/ogg', extension: 'ogv' },
  { name: 'mp4', title: 'MP4', type: 'video', mimeType: 'video/mp4', extension: 'mp4' },
  { name: 'mpeg', title: 'MPEG', type: 'video', mimeType: 'video/mpeg', extension: 'mpg' },
  { name: 'webmVideo', title: 'WebM', type: 'video', mimeType: 'video/webm', extension: 'webm' },
  { name: 'quicktime', title: 'MOV', type: 'video', mimeType: 'video/quicktime', extension: 'mov' },
  { name: 'matroska', title: 'MKV', type: 'video', mimeType: 'video/x-matroska', extension: 'mkv' },
] as const satisfies readonly FormatRow[];

type MediaFormat = (typeof mediaFormats)[number];
export type MediaFormatName = MediaFormat['name'];
export type MediaType = MediaFormat['type'];

export function findFormat(name: MediaFormatName): MediaFormat {
  const format = mediaFormats.find(each => each.name === name);
  if (format === undefined) throw new Error(`There is no format ${name}.`);
  return format;
}

/** Common names of a type's formats, each once. */
export function listTitles(type: MediaType): string[] {
  return [...new Set(mediaFormats.filter(format => format.type === type).map(({ title }) => title))];
}
