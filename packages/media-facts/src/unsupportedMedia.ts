/** The error for files that have no accepted format or cannot be processed. */
import { listTitles, type MediaType } from './mediaFormats.ts';

const accepted = `Send an image (${nameFormats('image')}), audio (${nameFormats('audio')}) or a video (${nameFormats('video')})`;

export class UnsupportedMedia extends Error {
  readonly code = 'unsupported_media';

  constructor(message: string) {
    super(message);
    this.name = 'UnsupportedMedia';
  }
}

/** `found`: what the file is, after "it is". */
export function otherFormatError(found: string | null): UnsupportedMedia {
  const told = found === null ? 'this one is none of them' : `this one is ${found}`;
  return new UnsupportedMedia(`${accepted}: what the file holds decides, and ${told}.`);
}

/** The file begins like one of these formats. */
export function brokenFormatError(titles: readonly string[]): UnsupportedMedia {
  const alike = [...new Set(titles)].join(' or ');
  return new UnsupportedMedia(
    `This file begins like ${alike}, but is damaged, incomplete, or holds no picture or sound of a kind that is accepted. ${accepted}.`,
  );
}

function nameFormats(type: MediaType): string {
  return listTitles(type).join(', ');
}
