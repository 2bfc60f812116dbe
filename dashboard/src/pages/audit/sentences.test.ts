/** Tests that each audit log entry reads as a sentence, with further details below it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditEntry } from '../../queries/audit.ts';
import { describeEntry } from './sentences.ts';

const vera = { id: 'veraveraveraveravera', name: 'Vera', email: 'vera@example.com' };
const blank = {
  id: 'auditauditauditaudit',
  at: '2026-01-02T03:04:05.678Z',
  actor: `user ${vera.email}`,
  project: 'default',
  target: 'targettargettargetta',
  details: {},
};

const rows: readonly { entry: Partial<AuditEntry>; sentence: string; details: string[] }[] = [
  {
    entry: {
      action: 'token.create',
      details: { kind: 'media', name: 'CI', scopes: ['read', 'type:image'] },
    },
    sentence: 'Vera created the media token “CI”',
    details: ['scopes: read, type:image'],
  },
  {
    entry: { action: 'token.revoke', details: { kind: 'admin', name: '', minted: 2 } },
    sentence: 'Vera revoked an admin token without a name',
    details: ['tokens it had created: 2'],
  },
  {
    entry: { action: 'issue.resolved', details: { pattern: 'Transfer <n> failed' } },
    sentence: 'Vera marked the issue “Transfer <n> failed” as resolved',
    details: [],
  },
  {
    entry: { action: 'issue.ignored', details: { pattern: 'x'.repeat(200) } },
    sentence: `Vera marked the issue “${'x'.repeat(79)}…” as ignored`,
    details: [],
  },
  {
    entry: { action: 'issue.open', target: '0123456789abcdef' },
    sentence: 'Vera reopened the issue 0123456789abcdef',
    details: [],
  },
  {
    entry: { action: 'member.set', target: vera.id, details: { role: 'viewer' }, actor: 'token abcd… (CI)' },
    sentence: 'The token abcd… (CI) gave Vera the role viewer',
    details: [],
  },
  {
    entry: {
      action: 'project.update',
      details: {
        bytesMax: 53_687_091_200,
        cdnDomain: null,
        retention: { days: { image: 30 }, folders: [{ prefix: 'clips', days: null }] },
      },
    },
    sentence: 'Vera changed the settings',
    details: ['storage: 50 GiB', 'CDN domain: none', 'image: 30 days', 'clips: forever'],
  },
  {
    entry: {
      action: 'project.update',
      details: {
        bytesMax: 53_687_091_200,
        retention: { days: { image: 30, video: null }, folders: [{ prefix: 'clips', days: 5 }] },
        before: { bytesMax: null, retention: { days: { image: 30, video: 7 }, folders: [] } },
      },
    },
    sentence: 'Vera changed the settings',
    details: ['storage: none → 50 GiB', 'video: forever', 'clips: 5 days'],
  },
  {
    entry: {
      action: 'project.update',
      details: {
        subjects: [{ kind: 'player', idPaths: ['player.id'], namePaths: ['player.name'] }],
        before: { subjects: [] },
      },
    },
    sentence: 'Vera changed the settings',
    details: ['pages for: player (player.id, player.name)'],
  },
  {
    entry: { action: 'file.presign', target: 'screenshots', details: { uses: 1, type: null } },
    sentence: 'Vera created an upload link for screenshots',
    details: ['allowed uploads: 1'],
  },
  {
    entry: { action: 'file.presign', target: 'clips', details: { name: 'match.mp4' } },
    sentence: 'Vera started uploading the file match.mp4',
    details: [],
  },
  {
    entry: { action: 'user.create', details: { email: 'new@example.com', isOwner: false } },
    sentence: 'Vera created the user new@example.com',
    details: [],
  },
  {
    entry: { action: 'note.delete', details: { kind: 'player', subject: '43' } },
    sentence: 'Vera deleted a note about player 43',
    details: [],
  },
  {
    entry: { action: 'log_view.update', details: { name: 'Doors', newName: 'Gates' } },
    sentence: 'Vera renamed the log view “Doors” to “Gates”',
    details: [],
  },
  {
    entry: { action: 'log_view.update', details: { name: 'Gates' } },
    sentence: 'Vera changed the log view “Gates”',
    details: [],
  },
  {
    entry: {
      action: 'rule.update',
      details: {
        name: 'Errors',
        condition: { kind: 'count', op: '>=', value: 5 },
        channels: [],
        before: { name: 'Faults', condition: { kind: 'count', op: '>=', value: 3 }, channels: ['Pager'] },
      },
    },
    sentence: 'Vera changed the rule “Errors”',
    details: ['name: Faults → Errors', 'condition.value: 5', 'channels: none'],
  },
  {
    entry: {
      action: 'file.update',
      details: {
        key: 'docks/ship-aaaaaaaaaaaaaaaaaaaa.png',
        name: 'ship.png',
        metadata: { player: { id: 43 } },
        before: { metadata: { player: { id: 42 }, map: 'docks' } },
      },
    },
    sentence: 'Vera changed the file ship.png',
    details: ['metadata.player.id: 43', 'metadata.map: none'],
  },
  {
    entry: { action: 'file.upload', details: { key: 'old-aaaaaaaaaaaaaaaaaaaa.png', sizeBytes: 107 } },
    sentence: 'Vera uploaded the file old-aaaaaaaaaaaaaaaaaaaa.png',
    details: ['size: 107 B'],
  },
  {
    entry: {
      action: 'member.set',
      target: vera.id,
      details: { role: 'admin', before: { role: 'member' } },
      actor: 'service',
    },
    sentence: 'The service gave Vera the role admin',
    details: ['role: member → admin'],
  },
  {
    entry: { action: 'alert.acknowledge', details: { name: 'Errors', value: 'docks' } },
    sentence: 'Vera acknowledged the alert “Errors” for docks',
    details: [],
  },
  {
    entry: {
      action: 'channel.switch_off',
      actor: 'service',
      details: { name: 'Pager', reason: 'It failed for a day.' },
    },
    sentence: 'The service turned off the channel “Pager”',
    details: ['reason: It failed for a day.'],
  },
  {
    entry: { action: 'dataset.create', actor: 'command line', target: 'game', details: { days: 7 } },
    sentence: 'Someone at the command line did dataset.create on game',
    details: ['days: 7'],
  },
];

for (const { entry, sentence, details } of rows) {
  test(sentence, () => {
    const told = describeEntry({ ...blank, action: '', ...entry }, [vera]);
    assert.equal(`${told.actor} ${told.deed}`, sentence);
    assert.deepEqual(told.details, details);
  });
}
