/** Tests mails: one subject line, text, and HTML that loads nothing. */
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { events, fired, hostileEvents } from '../tests/examples.ts';
import { composeMail } from './mail.ts';

const chartPng = Uint8Array.of(1, 2, 3);

test('reports a fired rule with its name, count, entries and a link', () => {
  const { subject, text, html, pictures } = composeMail(fired, { chartPng });
  assert.equal(subject, '[Firing] Server errors (default)');
  for (const part of ['1,164 entries in 5 minutes', 'level:error', 'fxserver', 'SCRIPT ERROR: nil value']) {
    assert.ok(text.includes(part), part);
    assert.ok(html.includes(part), part);
  }
  assert.ok(text.includes(fired.url));
  assert.ok(html.includes(`href="${fired.url.replaceAll('&', '&amp;')}"`));
  assert.deepEqual(pictures, [{ cid: 'chart@tapedeck', contentType: 'image/png', content: chartPng }]);
  assert.ok(html.includes('src="cid:chart@tapedeck"'));
});

test('includes no picture without a chart', () => {
  const { html, pictures } = composeMail(fired, { chartPng: null });
  assert.deepEqual([html.includes('<img'), pictures.length], [false, 0]);
});

describe('hostile texts stay plain', () => {
  for (const [index, event] of [...events, ...hostileEvents].entries()) {
    it(`${index}: ${event.type}`, () => {
      const { subject, text, html } = composeMail(event, { chartPng });
      assert.doesNotMatch(subject, /[\u0000-\u001f\u007f]/);
      assert.ok(subject.length <= 180 && subject.isWellFormed());
      assert.doesNotMatch(text, /[\u0000-\u0008\u000b-\u001f\u007f]/);
      assert.ok(Buffer.byteLength(html) < 100_000); // mail programs cut longer ones
      const elements = [...html.matchAll(/<\/?([a-z0-9]+)/gi)].map(([, name]) => name);
      assert.deepEqual(
        elements.filter(name => /^(script|iframe|object|form|link|style|svg|video)$/i.test(name!)),
        [],
      );
      const fetched = [...html.matchAll(/\ssrc="([^"]*)"/g)].map(([, source]) => source);
      assert.deepEqual(fetched, ['cid:chart@tapedeck']);
      assert.doesNotMatch(html, /url\(|@import|background="/);
    });
  }
});
