/** What users tell about a program, in the words of Sentry's widget or of the form that older clients show after a crash, as an event. */
import { isObject, type JsonObject } from '@tapedeck/values/json';
import { describeValue } from '../reading/texts.ts';

const unsaid = 'User feedback';

/** A form is a few texts: `comments`, `name` and `email`. The widget sends an event, with the text among its contexts. */
export function readFeedback(item: JsonObject): JsonObject {
  const { contexts } = item;
  if (isObject(contexts) && isObject(contexts.feedback))
    return { level: 'info', ...item, message: describeValue(contexts.feedback.message) || unsaid };
  const { comments, name, email, ...others } = item;
  const user = { ...(isObject(item.user) && item.user), name, email };
  return { level: 'info', ...others, user, message: describeValue(comments) || unsaid };
}
