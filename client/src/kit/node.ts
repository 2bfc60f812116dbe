/** Platform code for Node.js, Bun and Deno: opens files, spools entries, and sends the last ones on exit. */
import { open } from 'node:fs/promises';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Content, unreadableError } from './files/content.ts';
import { openSpool } from './logs/spool.ts';
import type { ExitActions, Platform, PostedBatch } from './platform.ts';
import { unreachableError } from './retries.ts';
import { TapedeckCore, type TapedeckOptions } from './tapedeck.ts';

const node: Platform = { openPath, openSpool, post, onExit };

export class Tapedeck extends TapedeckCore {
  constructor(options: TapedeckOptions) {
    super(options, node);
  }
}

export * from './publicExports.ts';

async function openPath(path: string | URL): Promise<Content> {
  const isUrl = path instanceof URL || path.startsWith('file:');
  const name = isUrl ? fileURLToPath(path) : path;
  const file = await open(name).catch(cause => {
    throw unreadableError(`The file ${name} cannot be opened.`, cause);
  });
  try {
    const facts = await file.stat();
    if (!facts.isFile()) throw unreadableError(`${name} is not a file.`);
    return {
      filename: basename(name),
      sizeBytes: facts.size,
      async read(start, lengthBytes) {
        const bytes = new Uint8Array(Math.min(lengthBytes, Math.max(0, facts.size - start)));
        let read = 0;
        while (read < bytes.length) {
          const { bytesRead } = await file.read(bytes, read, bytes.length - read, start + read);
          if (bytesRead === 0) throw unreadableError('The file became shorter while it was uploaded.');
          read += bytesRead;
        }
        return { bytes, isEnd: start + read >= facts.size };
      },
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Avoids `fetch`, because a request to a silent service would keep an idle program alive. */
function post({ url, headers, body, timeoutMs }: PostedBatch): Promise<Response> {
  const send = url.startsWith('https:') ? requestHttps : requestHttp;
  const bytes = Buffer.from(body);
  const options = { method: 'POST', headers: { ...headers, 'Content-Length': bytes.length } };
  return new Promise((resolve, reject) => {
    const request = send(url, options, response => {
      const parts: Buffer[] = [];
      response.on('data', part => parts.push(part));
      response.on('error', cause => reject(unreachableError(cause)));
      response.on('end', () => {
        const fields = Object.entries(response.headers).flatMap(([name, value]): [string, string][] =>
          value === undefined ? [] : [[name, String(value)]],
        );
        const status = response.statusCode ?? 0;
        const text = [204, 205, 304].includes(status) ? null : Buffer.concat(parts);
        resolve(new Response(text, { status, headers: fields }));
      });
    });
    request.setTimeout(timeoutMs, () => request.destroy(new Error(`No answer in ${timeoutMs} ms.`)));
    request.on('socket', socket => socket.unref());
    request.on('error', cause => reject(unreachableError(cause)));
    request.end(bytes);
  });
}

function onExit({ flush, hasEntries }: ExitActions): () => void {
  const listener = () => {
    if (hasEntries()) void flush();
  };
  process.on('beforeExit', listener);
  return () => process.off('beforeExit', listener);
}
