/** `tapedeck logs` on a terminal: colours, the pager, and messages beside the entries. */
import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { openLogClient } from '../support/logSender.ts';
import { startTestService } from '../support/service.ts';
import { runOnTerminal } from '../support/tapedeck.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { token, store } = await openLogClient(service);
const environment = { TAPEDECK_URL: service.url, TAPEDECK_TOKEN: token, TERM: 'xterm' };
const ticks = Array.from({ length: 250 }, (_, number) => ({
  level: 'info',
  message: `tick ${number}`,
  resource: 'bank',
  metadata: { player: { id: number } },
}));
await store(ticks, 'default');

const onTerminal = (words: readonly string[], changes: object = {}) =>
  runOnTerminal(['logs', ...words], { NO_COLOR: undefined, ...environment, ...changes });

it('prints a screenful in colours', async () => {
  const { exitCode, shown } = await onTerminal(['-n', '2'], { PAGER: 'exit 9' });
  assert.equal(exitCode, 0);
  assert.match(shown, /\u001b\[32mINFO \u001b\[0m .*tick 249/);
});

it('sends more to the pager, by default the newest thousand', async () => {
  const { shown } = await onTerminal([], { PAGER: 'sed s/^/paged:/' });
  assert.equal(shown.match(/paged:.*tick \d+/g)?.length, 250);
  assert.equal(shown.match(/tick \d+/g)?.length, 250);
});

it('leaving the pager early ends the command', async () => {
  const { exitCode, shown } = await onTerminal(['--order', 'asc', '--limit', 'all'], {
    PAGER: 'head -n 2',
  });
  assert.equal(exitCode, 0);
  assert.deepEqual(shown.match(/tick \d+/g), ['tick 0', 'tick 1']);
});

for (const [name, words, changes] of [
  ['not wanted', ['--no-pager'], { PAGER: 'sed s/^/paged:/' }],
  ['empty', [], { PAGER: '' }],
  ['not there', [], { PAGER: 'no-such-pager -x' }],
  ['only for people', ['--json'], { PAGER: 'sed s/^/paged:/' }],
] as const) {
  it(`without a pager: ${name}`, async () => {
    const { exitCode, shown } = await onTerminal(words, changes);
    assert.equal(exitCode, 0);
    assert.equal(shown.match(/tick \d+/g)?.length, 250);
    assert.doesNotMatch(shown, /paged/);
  });
}

for (const [name, words, changes] of [
  ['not wanted', ['--color', 'never'], {}],
  ['disabled by NO_COLOR', [], { NO_COLOR: '1' }],
  ['a dumb terminal', [], { TERM: 'dumb' }],
] as const) {
  it(`without colours: ${name}`, async () => {
    const { shown } = await onTerminal(['-n', '1', ...words], changes);
    assert.match(shown, /INFO {2}bank tick 249 player.id=249/);
    assert.doesNotMatch(shown, /\u001b\[\d/);
  });
}

it('reports that there are more, and that there are none', async () => {
  const more = await onTerminal(['--no-pager'], {});
  assert.doesNotMatch(more.shown, /there are more/);
  await store(Array.from({ length: 4 }, () => ticks).flat(), 'default');
  const most = await onTerminal([], { PAGER: 'sed s/^/paged:/' });
  assert.equal(most.shown.match(/paged:.*tick/g)?.length, 1000);
  assert.match(most.shown, /The newest 1000 are shown, and there are more: see --limit and --since\.\n$/);
  const none = await onTerminal(['nothing-like-it']);
  assert.match(none.shown, /No entry matches\./);
  assert.equal(none.exitCode, 0);
});
