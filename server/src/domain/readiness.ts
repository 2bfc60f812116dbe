/** Whether the stores answer, and if not, why, in sentences for operators. */
import { Failure } from '@tapedeck/failures';

/** A store and how to ask whether it answers; when it does not, a ServiceError tells operators why. */
export type Check = { name: string; ping(): Promise<void> };

export type FailedCheck = { name: string; sentence: string; error?: unknown };

const checkTimeMsMax = 5_000; // a probe that waits longer has its answer

export async function runChecks(checks: readonly Check[]): Promise<FailedCheck[]> {
  const failures = await Promise.all(checks.map(runCheck));
  return failures.filter(failure => failure !== null);
}

/** null when all is well. Sentences of the service are made for people; what else is thrown may tell of its inside. */
async function runCheck({ name, ping }: Check): Promise<FailedCheck | null> {
  const silence = {
    name,
    sentence: `The check of ${name} got no answer: the log of the service may say more.`,
  };
  const late = new Promise<FailedCheck>(resolve => {
    setTimeout(() => resolve(silence), checkTimeMsMax).unref();
  });
  const result = ping().then(
    () => null,
    error => (error instanceof Failure ? { name, sentence: error.message } : { ...silence, error }),
  );
  return await Promise.race([result, late]);
}
