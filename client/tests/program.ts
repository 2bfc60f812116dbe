/** Writes entries as its arguments say, for tests of how programs end. */
import { Tapedeck } from '../src/kit/node.ts';

const { url = '', token = '', count, ending, ...logs } = JSON.parse(process.argv[2] ?? '{}');
const { logs: sender } = new Tapedeck({ url, token, logs: { batchDelayMs: 60_000, ...logs } });
for (let index = 0; index < count; index++) sender.write({ level: 'info', message: `entry ${index}` });
process.stdout.write('written\n');
if (ending === 'wait') setInterval(() => undefined, 1000);
