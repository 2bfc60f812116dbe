/** Tests messages for Slack: within its limits, and without text that Slack would obey. */
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { events, fired, hostileEvents } from '../tests/examples.ts';
import { composeSlack } from './slack.ts';

type Text = { type: string; text: string };
type Block = { type: string; text?: Text; fields?: Text[]; elements?: Text[] };
type Message = { text: string; blocks: Block[] };

function readMessage(event: Parameters<typeof composeSlack>[0]): Message {
  return JSON.parse(String(composeSlack(event).body));
}

test('reports a fired rule with its name, count, entries and a link', () => {
  const { text, blocks } = readMessage(fired);
  assert.match(text, /^🔴 Firing: Server errors\n1,164 entries in 5 minutes; it fires at 100 or more\./);
  const all = JSON.stringify(blocks);
  for (const { message } of fired.entries) assert.ok(all.includes(JSON.stringify(message).slice(1, -1)));
  assert.ok(all.includes(`<${fired.url.replaceAll('&', '&amp;')}|Open the search at that moment>`));
  assert.match(all, /▁▁▁▁▁█/);
});

describe('composes what Slack accepts', () => {
  for (const [index, event] of [...events, ...hostileEvents].entries()) {
    it(`${index}: ${event.type}`, () => {
      const { text, blocks } = readMessage(event);
      assert.ok(blocks.length <= 50 && text.length <= 4_000);
      for (const block of blocks) {
        const max = block.type === 'header' ? 150 : 3_000;
        if (block.text !== undefined) assert.ok(block.text.text.length <= max && block.text.text !== '');
        assert.ok((block.fields?.length ?? 0) <= 10);
        for (const field of block.fields ?? []) assert.ok(field.text.length <= 2_000);
      }
    });
  }
});

test('hostile texts cannot mention users or close blocks', () => {
  for (const event of hostileEvents) {
    const { text, blocks } = readMessage(event);
    const texts = blocks.flatMap(block => [block.text, ...(block.fields ?? []), ...(block.elements ?? [])]);
    const marked = texts.filter(each => each?.type === 'mrkdwn').map(each => each!.text);
    for (const each of [text, ...marked]) {
      assert.doesNotMatch(each.replace(/<https:[^<>|\s]+(\|[\w ]+)?>/, ''), /[<>]/);
      const [, block] = /```\n(.*)\n```$/s.exec(each) ?? [];
      if (block !== undefined) assert.ok(!block.includes('``'));
    }
  }
});
