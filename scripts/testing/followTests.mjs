/**
 * Lets `node:test` find the running test by its asynchronous context. By itself it has a hook called for each promise and resource of the process,
 * those of the service included, and for the end of each, which took a tenth of the processor time.
 */
const hooks = process.getBuiltinModule('node:async_hooks');
const { AsyncLocalStorage, AsyncResource, createHook, executionAsyncId } = hooks;

/** Holds the id of the test whose code runs. */
const running = new AsyncLocalStorage();
let note = () => {};

/** A test, or the reporter. */
class FollowedResource extends AsyncResource {
  constructor(type, options) {
    super(type, options);
    note(this.asyncId(), type, 0, this);
  }

  runInAsyncScope(work, self, ...given) {
    return super.runInAsyncScope(() => running.run(this.asyncId(), () => Reflect.apply(work, self, given)));
  }
}

// Only the test runner gets these, when it is loaded.
hooks.AsyncResource = FollowedResource;
hooks.executionAsyncId = () => running.getStore();
hooks.createHook = ({ init }) => ({
  enable: () => {
    note = init;
  },
  disable: () => {
    note = () => {};
  },
});
process.getBuiltinModule('node:test');
Object.assign(hooks, { AsyncResource, createHook, executionAsyncId });
