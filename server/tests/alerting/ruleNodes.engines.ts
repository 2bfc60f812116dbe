/** Rules on two nodes that share PostgreSQL and two shards: one evaluates them, and the other takes over when it is gone. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openRuleNodes } from '../support/ruleNodes.ts';

const nodes = await openRuleNodes();
after(() => nodes[Symbol.asyncDispose]());
const { first, urls } = nodes;

test('fires once and resolves once, though the evaluating node is killed in between', async () => {
  await nodes.makeRule('killed');
  for (const url of [urls.first, urls.second]) await nodes.send(url, 'killed');
  await nodes.untilNotified('killed', 1);
  first.child.kill('SIGKILL');
  assert.deepEqual(await nodes.untilNotified('killed', 2), ['rule.fired', 'rule.resolved']);
});
