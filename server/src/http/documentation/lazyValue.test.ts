/** A value is computed once and kept, unless the computation failed. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { computeOnce } from './lazyValue.ts';

it('is created once, even for concurrent callers', async () => {
  let made = 0;
  const open = computeOnce(async () => ({ number: ++made }));
  const [one, other] = await Promise.all([open(), open()]);
  assert.equal(one, other);
  assert.equal((await open()).number, 1);
});

it('is retried after a failure', async () => {
  let tries = 0;
  const open = computeOnce(async () => {
    if (++tries === 1) throw new Error('The folder is away.');
    return { tries };
  });
  await assert.rejects(open(), /away/);
  assert.equal((await open()).tries, 2);
});
