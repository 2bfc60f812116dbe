/** Lists the known containers. If a container holds several formats, its structure check decides which. */

import type { MediaContainer } from './container.ts';
import { gifContainer } from './gif.ts';
import { jpegContainer } from './jpeg.ts';
import { matroskaContainer } from './matroska.ts';
import type { MediaFormatName } from './mediaFormats.ts';
import { mp4Container } from './mp4.ts';
import { mpegAudioContainer } from './mpegAudio.ts';
import { mpegProgramContainer } from './mpegProgram.ts';
import { mpegVideoContainer } from './mpegVideo.ts';
import { oggContainer } from './ogg.ts';
import { pngContainer } from './png.ts';
import { wavContainer } from './wav.ts';
import { webpContainer } from './webp.ts';

export const containers: Readonly<Record<MediaFormatName, readonly MediaContainer[]>> = {
  png: [pngContainer],
  apng: [pngContainer],
  webp: [webpContainer],
  jpeg: [jpegContainer],
  gif: [gifContainer],
  mp3: [mpegAudioContainer],
  mp2: [mpegAudioContainer],
  oggAudio: [oggContainer],
  webmAudio: [matroskaContainer],
  wav: [wavContainer],
  oggVideo: [oggContainer],
  mp4: [mp4Container],
  mpeg: [mpegProgramContainer, mpegVideoContainer],
  webmVideo: [matroskaContainer],
  quicktime: [mp4Container],
  matroska: [matroskaContainer],
};
