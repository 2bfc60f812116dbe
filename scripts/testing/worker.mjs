/**
 * Runs test files one after another, as the runner names them. Each is in a suite whose hooks end what the file has started. Loading the service and
 * Chromium for each file took a third of the time.
 */
import { describe } from 'node:test';
import { pathToFileURL } from 'node:url';

process.env.PROCESS_TMPDIR = process.env.TMPDIR; // for data that outlives a file

process.on('message', ({ path, temporary, sharesEngines }) => {
  process.env.TMPDIR = temporary;
  process.env.SHARES_ENGINES = sharesEngines ? 'yes' : 'no';
  describe(path, async () => {
    await import(pathToFileURL(path).href);
  });
});

const endMsUsual = 10_000;

// The runner ends this process soon after that, and prints this beside its complaint.
process.on('disconnect', () => {
  setTimeout(
    () => console.error('Still open:', process.getActiveResourcesInfo().join(', ')),
    endMsUsual,
  ).unref();
});
