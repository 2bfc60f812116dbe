/**
 * A process that runs test files one after another, as the runner names them: each inside a suite of its own, whose hooks end what
 * the file has started before the next one begins. To load the service and Chromium once a file took a third of the time.
 */
import { describe } from 'node:test';
import { pathToFileURL } from 'node:url';

process.env.PROCESS_TMPDIR = process.env.TMPDIR; // what outlives a file lies there

process.on('message', ({ path, temporary, sharesEngines }) => {
  process.env.TMPDIR = temporary;
  process.env.SHARES_ENGINES = sharesEngines ? 'yes' : 'no';
  describe(path, async () => {
    await import(pathToFileURL(path).href);
  });
});
