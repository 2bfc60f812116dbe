/** Tests that each action in the audit log has a sentence in the dashboard. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditActions } from '@tapedeck/domain/auditActions';
import { describeEntry } from '../src/pages/audit/sentences.ts';

const blank = {
  id: 'auditauditauditaudit',
  at: '2026-01-02T03:04:05.678Z',
  actor: 'service',
  project: 'default',
  target: 'targettargettargetta',
  details: {},
};

test('has a sentence for each audited action', () => {
  const untold = auditActions.filter(action =>
    describeEntry({ ...blank, action }, []).deed.startsWith('did '),
  );
  assert.deepEqual(untold, []);
});

for (const [email, deed] of [
  ['anna@example.org', 'invited anna@example.org'],
  [null, 'created an invitation link'],
] as const) {
  test(`writes “${deed}”`, () => {
    const entry = { ...blank, action: 'invitation.create', details: { email } };
    assert.equal(describeEntry(entry, []).deed, deed);
  });
}
