/** Creates alert rules in a measured service over HTTP, as users do. */
import { createToken } from './administration.ts';
import type { BenchService } from './processes.ts';

export type Rule = { query: string; by?: string };

/** The number of rules, and the query of each. */
type Rules = { rules: number; make(number: number): Rule };

const madeAtOnce = 16;

/** The rules never fire, so that only their evaluation is measured. */
export async function makeRules(
  service: BenchService,
  dataDir: string,
  { rules: count, make }: Rules,
): Promise<void> {
  const admin = createToken(dataDir, 'admin');
  let next = 0;
  const run = async () => {
    while (next < count) {
      const number = next++;
      const rule = { name: `rule ${number}`, kind: 'count', condition: { op: '>=', value: 900_000_000 } };
      await makeRule(service, admin, { ...rule, windowSeconds: 60, ...make(number) });
    }
  };
  await Promise.all(Array.from({ length: madeAtOnce }, run));
}

async function makeRule({ port }: BenchService, admin: string, rule: object): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/api/manage/projects/default/rules`, {
    method: 'POST',
    headers: { authorization: admin, 'content-type': 'application/json' },
    body: JSON.stringify(rule),
  });
  if (response.status !== 200) throw new Error(await response.text());
}
