/** What is thrown for a file that is none of the accepted formats. */

export class UnsupportedMedia extends Error {
  readonly code = 'unsupported_media';

  constructor() {
    super(
      'Send an image (PNG, APNG, WebP, JPEG, GIF), audio (MP3, MPEG, OGG, WebM, WAV) or a video ' +
        '(OGG, MP4, MPEG, WebM, MOV, MKV): what the file holds decides, and this one is none of them.',
    );
    this.name = 'UnsupportedMedia';
  }
}
