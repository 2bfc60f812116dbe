/** A service that stores batches until it is killed. Prints `ready`; writes the name of each acknowledged batch to a file. */
import { openSync, writeSync } from 'node:fs';
import { openStore } from './engines.ts';
import { storeMessages } from './rows.ts';

const [directory = '', round = '0', answersFile = ''] = process.argv.slice(2);
const answers = openSync(answersFile, 'a'); // written answers outlive the process
const writers = 6;
const rowsMax = 40;
const daySpanMicros = 86_400_000_000;

const { intake } = await openStore(directory);
process.stdout.write('ready\n');

async function write(writer: number): Promise<void> {
  for (let number = 0; ; number++) {
    const name = `${round}/${writer}/${number}`;
    const rows = 1 + (number % rowsMax);
    const messages = Array.from({ length: rows }, (_, index) => `${name}/${index}/${rows}`);
    // Every other batch spans several days, and so several partitions.
    const now = Date.now() * 1000;
    const timestampsMicros = messages.map((_, index) =>
      number % 2 === 0 ? now : now - (index % 5) * 40 * daySpanMicros,
    );
    await storeMessages(intake, messages, { timestampsMicros });
    writeSync(answers, `${name} ${rows}\n`);
  }
}

await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
