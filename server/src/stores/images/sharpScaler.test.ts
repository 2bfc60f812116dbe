/** Tests that a failing source is reported, whenever it fails. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { it } from 'node:test';
import { openSharpScaler } from './sharpScaler.ts';

const form = { width: 8, height: 8, fit: 'inside', format: 'webp' } as const;

it('a source that fails before sharp is loaded fails the picture with its own error', async () => {
  const source = new Readable({ read() {} });
  const scaled = openSharpScaler().scale(source, form);
  source.destroy(new Error('The blob is gone.'));
  await assert.rejects(scaled, /The blob is gone\./);
});
