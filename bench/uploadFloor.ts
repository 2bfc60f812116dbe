/** The minimum cost of a durable upload: parse the form, hash, write, sync, rename, sync the directory. Checks nothing. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, open, rename, rm } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Busboy } from '@fastify/busboy';

const directory = await mkdtemp(path.join(tmpdir(), 'tapedeck-floor-'));

async function keep(content: AsyncIterable<Buffer>): Promise<string> {
  const name = path.join(directory, randomBytes(12).toString('hex'));
  const handle = await open(name, 'wx');
  const hash = createHash('sha256');
  for await (const chunk of content) {
    hash.update(chunk);
    await handle.write(chunk);
  }
  await handle.sync();
  await handle.close();
  await rename(name, `${name}.png`);
  const parent = await open(directory, 'r');
  await parent.sync();
  await parent.close();
  return hash.digest('hex');
}

const server = http.createServer((request, response) => {
  // Breaks on a request without a content type, which has no form.
  const parser = new Busboy({
    headers: { ...request.headers, 'content-type': request.headers['content-type'] ?? '' },
  });
  parser.on('file', (_, content) => {
    void keep(content).then(sha256 => {
      const body = JSON.stringify({ data: { id: sha256 }, status: 'ok' });
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
        .end(body);
    });
  });
  request.pipe(parser);
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo; // the server listens on a port, not on a socket's path
  process.stdout.write(`${JSON.stringify({ msg: 'ready', url: `http://127.0.0.1:${port}` })}\n`);
});
process.on('SIGTERM', () => {
  server.closeAllConnections();
  server.close(() => void rm(directory, { recursive: true }).then(() => process.exit(0)));
});
