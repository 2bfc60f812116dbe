/** Checks by its first bytes whether a file can be an image, video or audio, to avoid useless uploads. The service decides. */

/** First bytes of the accepted formats, as Latin-1; a dot is any byte. MPEG audio can start in many ways. */
const beginnings =
  /^(?:\x89PNG|\xff\xd8\xff|GIF8|RIFF|ID3|\xff[\xe0-\xff]|OggS|\x1aE\xdf\xa3|\0\0\x01[\xb0-\xbf]|....(?:ftyp|moov|mdat|wide|free|skip|pnot))/s;
const lookedAtBytes = 12;

/** Returns why not to send the file, or null. Ignores its name and type, like the service. */
export async function checkSignature(file: File): Promise<string | null> {
  if (file.size === 0) return 'This file is empty.';
  try {
    const bytes = new Uint8Array(await file.slice(0, lookedAtBytes).arrayBuffer());
    return beginnings.test(String.fromCharCode(...bytes))
      ? null
      : 'This file is not an image, video or audio file.';
  } catch {
    return 'This file can’t be read.'; // a folder, or moved or changed meanwhile
  }
}
