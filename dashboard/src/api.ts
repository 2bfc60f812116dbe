/** The page's API client. The session cookie identifies the user. */
import { createClient } from '@tapedeck/client';

export const api = createClient();

/** The API address that other programs use, from this page's address. */
export const apiUrl = `${window.location.origin}/api`;
