/** Lays a compressed copy beside every built file, so that the service sends less without working for it. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

/** Browsers take Brotli over https and from this machine only; gzip everywhere. */
const copies = { '.br': promisify(brotliCompress), '.gz': promisify(gzip) } as const;
const worthwhileBytesMin = 1_024; // below, the headers weigh more than what is saved

export function compressBuild(): Plugin {
  return {
    name: 'compress-build',
    apply: 'build',
    async writeBundle({ dir }) {
      if (dir === undefined) return;
      const names = await readdir(dir, { recursive: true });
      const files = names.filter(name => /\.(?:js|css|svg|html)$/.test(name));
      await Promise.all(files.map(name => compressFile(path.join(dir, name))));
    },
  };
}

async function compressFile(file: string): Promise<void> {
  const content = await readFile(file);
  if (content.length < worthwhileBytesMin) return;
  for (const [extension, compress] of Object.entries(copies)) {
    await writeFile(file + extension, await compress(content));
  }
}
