/** The error for files whose format isn't accepted or that can't be processed. */
import { listTitles, type MediaType } from './mediaFormats.ts';

const acceptedFormats = `Send an image (${nameFormats('image')}), audio (${nameFormats('audio')}) or a video (${nameFormats('video')}).`;

export class UnsupportedMedia extends Error {
  readonly code = 'unsupported_media';

  constructor(message: string) {
    super(message);
    this.name = 'UnsupportedMedia';
  }
}

/** Says what the file is, then which formats are accepted. */
export function refuseMedia(finding: string): UnsupportedMedia {
  return new UnsupportedMedia(`${finding} ${acceptedFormats}`);
}

function nameFormats(type: MediaType): string {
  return listTitles(type).join(', ');
}
