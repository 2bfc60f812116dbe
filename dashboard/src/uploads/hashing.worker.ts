/** Hashes files in a worker, one at a time. Answers null for an unreadable file. */
import { sha256 } from '@noble/hashes/sha2.js';

const wholeBytesMax = 32 * 1024 * 1024; // read whole for the browser's own digest, which is ten times as fast
const pieceBytes = 1024 * 1024; // read at a time otherwise

self.addEventListener('message', ({ data }: MessageEvent<File>) => {
  void hashFile(data).then(
    hex => self.postMessage(hex),
    () => self.postMessage(null),
  );
});

/** Browsers offer a digest only over HTTPS or on localhost. */
async function hashFile(file: File): Promise<string> {
  if (self.isSecureContext && file.size <= wholeBytesMax)
    return writeHex(new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer())));
  const hash = sha256.create();
  for (let at = 0; at < file.size; at += pieceBytes)
    hash.update(new Uint8Array(await file.slice(at, at + pieceBytes).arrayBuffer()));
  return writeHex(hash.digest());
}

function writeHex(bytes: Uint8Array): string {
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
}
