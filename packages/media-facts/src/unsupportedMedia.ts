/** The error for files that have no accepted format or cannot be processed. */
import { listTitles, type MediaType } from './mediaFormats.ts';

const sentence =
  `Send an image (${nameFormats('image')}), audio (${nameFormats('audio')}) or a video (${nameFormats('video')}): ` +
  'what the file holds decides, and this one is none of them.';

export class UnsupportedMedia extends Error {
  readonly code = 'unsupported_media';

  constructor(message = sentence) {
    super(message);
    this.name = 'UnsupportedMedia';
  }
}

function nameFormats(type: MediaType): string {
  return listTitles(type).join(', ');
}
