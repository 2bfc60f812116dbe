/** Slow log queries: what the log and the metrics report, and what they keep private. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openLogClient } from '../support/logSender.ts';
import { startTestService } from '../support/service.ts';

const secret = 'swordfish';
/** Queries by the kind under which they are reported. */
const questions: Readonly<Record<string, string>> = {
  entries: `?query=${secret}`,
  count: `?query=${secret}&includeTotal=true`,
  histogram: `/histogram?query=${secret}&from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z&buckets=10`,
  values: `/values?field=metadata.${secret}`,
  fields: `/fields?query=${secret}`,
  comparison: `/comparison?query=${secret}&from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z&baselineFrom=2026-01-01T00:00:00Z&baselineTo=2026-01-02T00:00:00Z`,
  series: `/series?query=${secret}&from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z&buckets=10`,
  patterns: `/patterns?query=${secret}`,
  datasets: '/datasets',
  export: `/export?format=ndjson&query=${secret}`,
};

async function askAll(seconds: string) {
  const service = await startTestService({ environment: { TAPEDECK_SLOW_QUERY_SECONDS: seconds } });
  after(() => service[Symbol.asyncDispose]());
  const client = await openLogClient(service);
  await client.store([{ level: 'info', message: secret }], 'default');
  for (const path of Object.values(questions)) {
    const answer = await client.get(path);
    assert.equal(answer.status, 200, path);
    await answer.text();
  }
  const slow = service.logged
    .map(line => JSON.parse(line) as { msg: string; project?: string; kind?: string; tookMs?: number })
    .filter(({ msg }) => msg === 'a log query was slow');
  return { service, slow, metrics: await (await service.fetch('/metrics')).text() };
}

test('logs each, and counts it by project and kind, without its content', async () => {
  const { service, slow, metrics } = await askAll('0');
  const kinds = new Set(slow.map(({ kind }) => kind));
  for (const kind of Object.keys(questions)) {
    assert.ok(kinds.has(kind), `${kind} is not in the log`);
    assert.match(
      metrics,
      new RegExp(`^tapedeck_slow_log_queries_total\\{project="default",kind="${kind}"\\} \\d`, 'm'),
    );
    assert.match(
      metrics,
      new RegExp(`^tapedeck_log_query_duration_seconds_count\\{kind="${kind}"\\} \\d`, 'm'),
    );
  }
  assert.ok(slow.every(({ project, tookMs }) => project === 'default' && Number.isInteger(tookMs)));
  assert.ok(!service.logged.some(line => line.includes(secret)), 'the log shows the query');
  assert.ok(!metrics.includes(secret), 'the metrics show the query');
});

test('quick ones are measured, but not logged', async () => {
  const { slow, metrics } = await askAll('30');
  assert.deepEqual(slow, []);
  assert.doesNotMatch(metrics, /^tapedeck_slow_log_queries_total\{/m);
  assert.match(metrics, /^tapedeck_log_query_duration_seconds_count\{kind="entries"\} \d/m);
});
