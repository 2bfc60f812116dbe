/** The media that the service accepts, as one table: what it is called, and the container that recognizes it. */

import type { MediaContainer, MediaFormatName } from './container.ts';
import { gifContainer } from './gif.ts';
import { jpegContainer } from './jpeg.ts';
import { matroskaContainer } from './matroska.ts';
import { mp4Container } from './mp4.ts';
import { mpegAudioContainer } from './mpegAudio.ts';
import { mpegProgramContainer } from './mpegProgram.ts';
import { mpegVideoContainer } from './mpegVideo.ts';
import { oggContainer } from './ogg.ts';
import { pngContainer } from './png.ts';
import { wavContainer } from './wav.ts';
import { webpContainer } from './webp.ts';

export type MediaType = 'image' | 'video' | 'audio';

export type MediaFormat = {
  readonly name: MediaFormatName;
  readonly type: MediaType;
  readonly mimeType: string;
  /** Without its dot. */
  readonly extension: string;
  readonly container: MediaContainer;
};

/** Where several rows share a container, its structure check tells which of them a file is. CONTRACT.md, 3.1. */
export const mediaFormats: readonly MediaFormat[] = [
  { name: 'png', type: 'image', mimeType: 'image/png', extension: 'png', container: pngContainer },
  { name: 'apng', type: 'image', mimeType: 'image/apng', extension: 'png', container: pngContainer },
  { name: 'webp', type: 'image', mimeType: 'image/webp', extension: 'webp', container: webpContainer },
  { name: 'jpeg', type: 'image', mimeType: 'image/jpeg', extension: 'jpg', container: jpegContainer },
  { name: 'gif', type: 'image', mimeType: 'image/gif', extension: 'gif', container: gifContainer },
  { name: 'mp3', type: 'audio', mimeType: 'audio/mpeg', extension: 'mp3', container: mpegAudioContainer },
  { name: 'mp2', type: 'audio', mimeType: 'audio/mpeg', extension: 'mp2', container: mpegAudioContainer },
  { name: 'oggAudio', type: 'audio', mimeType: 'audio/ogg', extension: 'ogg', container: oggContainer },
  {
    name: 'webmAudio',
    type: 'audio',
    mimeType: 'audio/webm',
    extension: 'weba',
    container: matroskaContainer,
  },
  { name: 'wav', type: 'audio', mimeType: 'audio/wav', extension: 'wav', container: wavContainer },
  { name: 'oggVideo', type: 'video', mimeType: 'video/ogg', extension: 'ogv', container: oggContainer },
  { name: 'mp4', type: 'video', mimeType: 'video/mp4', extension: 'mp4', container: mp4Container },
  { name: 'mpeg', type: 'video', mimeType: 'video/mpeg', extension: 'mpg', container: mpegProgramContainer },
  { name: 'mpeg', type: 'video', mimeType: 'video/mpeg', extension: 'mpg', container: mpegVideoContainer },
  {
    name: 'webmVideo',
    type: 'video',
    mimeType: 'video/webm',
    extension: 'webm',
    container: matroskaContainer,
  },
  {
    name: 'quicktime',
    type: 'video',
    mimeType: 'video/quicktime',
    extension: 'mov',
    container: mp4Container,
  },
  {
    name: 'matroska',
    type: 'video',
    mimeType: 'video/x-matroska',
    extension: 'mkv',
    container: matroskaContainer,
  },
];
