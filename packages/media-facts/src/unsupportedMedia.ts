/** The error for files that have no accepted format or cannot be processed. */
import { listTitles, type MediaType } from './mediaFormats.ts';

const acceptedFormats = `Send an image (${nameFormats('image')}), audio (${nameFormats('audio')}) or a video (${nameFormats('video')}).`;

export class UnsupportedMedia extends Error {
  readonly code = 'unsupported_media';

  constructor(message: string) {
    super(message);
    this.name = 'UnsupportedMedia';
  }
}

/** Says what was found in the file, then which formats are accepted. */
export function refuseMedia(finding: string): UnsupportedMedia {
  return new UnsupportedMedia(`${finding} ${acceptedFormats}`);
}

function nameFormats(type: MediaType): string {
  return listTitles(type).join(', ');
}
