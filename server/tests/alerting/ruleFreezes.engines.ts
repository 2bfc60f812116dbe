/** Rules on two nodes that share PostgreSQL and two shards: the evaluating node is frozen, the other takes over, and the first wakes up again. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openRuleNodes } from '../support/ruleNodes.ts';

const nodes = await openRuleNodes();
after(() => nodes[Symbol.asyncDispose]());
const { first, urls } = nodes;

/** Whether this node evaluates rules, according to its metrics. */
async function judges(url: string): Promise<boolean> {
  return (await (await fetch(`${url}/metrics`)).text()).includes('\ntapedeck_rules_enabled ');
}

test('fires once and resolves once, though the evaluating node freezes and resumes', async () => {
  await nodes.makeRule('frozen');
  await nodes.send(urls.first, 'frozen');
  const startedAt = performance.now();
  first.child.kill('SIGSTOP');
  await nodes.send(urls.second, 'frozen');
  await nodes.untilNotified('frozen', 1);
  assert.ok(performance.now() - startedAt < 80_000); // CONTRACT.md, 13.1
  assert.ok(await judges(urls.second));
  first.child.kill('SIGCONT');
  assert.deepEqual(await nodes.untilNotified('frozen', 2), ['rule.fired', 'rule.resolved']);
});
