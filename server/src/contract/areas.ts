/** The areas of the API by their names: each is named here and nowhere else. */
export * as accounts from './accounts.ts';
export * as audit from './audit.ts';
export * as datasets from './datasets.ts';
export * as files from './files.ts';
export * as logSeries from './logSeries.ts';
export * as logs from './logs.ts';
export * as logViews from './logViews.ts';
export * as media from './media.ts';
export * as projectFiles from './projectFiles.ts';
export * as projectLogs from './projectLogs.ts';
export * as projects from './projects.ts';
export * as sdk from './sdk.ts';
export * as system from './system.ts';
export * as tokens from './tokens.ts';
export * as usage from './usage.ts';
export * as users from './users.ts';
export * as webhooks from './webhooks.ts';
