/** Describes users' feedback as events: their text is the message, and the level is `info`. */
import { isObject, type JsonObject } from '@tapedeck/values/json';
import { describeValue } from '../reading/bodySplitting.ts';

/** SDKs send feedback as an event whose text is in a context. */
export function describeFeedback(event: JsonObject): JsonObject {
  const { contexts } = event;
  if (!isObject(contexts) || !isObject(contexts.feedback)) return { level: 'info', ...event };
  const { message, ...rest } = contexts.feedback;
  return {
    level: 'info',
    ...event,
    message: describeValue(message),
    contexts: { ...contexts, feedback: rest },
  };
}

/** Older SDKs send feedback to an earlier event, with that event's id. */
export function describeUserReport({ comments, name, email, ...rest }: JsonObject): JsonObject {
  return { level: 'info', ...rest, message: describeValue(comments), user: { name, email } };
}
