/** Recognises pasted traceIds and search URLs. */
import { type LogSearch, parseSearch } from '../search.ts';

/** Returns the id as the service writes it; null for other text. */
export function readTraceId(text: string): string | null {
  const id = text.trim().toLowerCase();
  return /^[0-9a-f]{32}$/.test(id) ? id : null;
}

/** Accepts any host, because an installation can have several. Returns null unless it is a URL of this project's logs. */
export function readAddress(text: string, project: string): LogSearch | null {
  if (!/^https?:\/\/\S+$/i.test(text.trim()) || !URL.canParse(text.trim())) return null;
  const { pathname, search } = new URL(text.trim());
  return pathname === `/projects/${encodeURIComponent(project)}/logs` ? parseSearch(search) : null;
}
