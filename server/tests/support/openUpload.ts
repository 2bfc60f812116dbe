/** A PATCH of an upload that stays open while the test sends its bytes by hand. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { chunkType } from './resuming.ts';
import { mediaToken } from './uploading.ts';

type Patch = { at: string; offset: number; announced: number; token?: string };

export async function openUploadSocket(
  { url }: { url: string },
  { at, offset, announced, token = mediaToken }: Patch,
): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.on('error', () => {}); // the test cuts it on purpose
  socket.write(
    [
      `PATCH ${at} HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\nTus-Resumable: 1.0.0`,
      `Content-Type: ${chunkType}\r\nUpload-Offset: ${offset}\r\nContent-Length: ${announced}\r\n\r\n`,
    ].join('\r\n'),
  );
  return socket;
}
