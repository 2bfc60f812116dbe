/** A process that stores entries until a step on the disk kills it. Prints `ok` or `no` and the message for each answer. */
import { writeSync } from 'node:fs';
import { openLogIntake } from '../src/intake/intake.ts';
import { diskError, interceptDisk } from './interceptedDisk.ts';
import { absentShard, silentLog, smallDisk, storeMessages } from './rows.ts';

const [directory = '', deadly = '', nth = '1'] = process.argv.slice(2);
let isArmed = false;
let count = 0;
let writes = 0;

const disk = interceptDisk(smallDisk, step => {
  if (!isArmed || !(step.path.endsWith('.journal') || step.name === 'syncDirectory')) return;
  if (step.name === deadly && ++count === Number(nth)) process.kill(process.pid, 'SIGKILL');
  // Every third group meets a failing disk, so that there is something to take back.
  if (step.name === 'write' && ++writes % 3 === 0) return { writtenBytes: 60, error: diskError('EIO') };
});

const intake = await openLogIntake(
  { disk, log: silentLog },
  { directory, shards: [absentShard], engineDirectory: directory },
);
isArmed = true;

const segmentRows = 200_000; // enough to close a segment
const roundsMax = 100; // if the process is never killed, it must end by itself

for (let round = 0; round < roundsMax; round++) {
  const batches = Array.from({ length: 3 }, (_, index) => [`${round}-${index}`]);
  if (round % 2 === 1) batches.push(Array<string>(segmentRows).fill(`bulk ${round}`));
  await Promise.all(
    batches.map(messages =>
      storeMessages(intake, messages).then(
        () => writeSync(1, `ok ${messages[0]}\n`),
        () => writeSync(1, `no ${messages[0]}\n`),
      ),
    ),
  );
}
