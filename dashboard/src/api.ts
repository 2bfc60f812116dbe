/** The one client of this page. The session cookie speaks for the user. */
import { createClient } from '@tapedeck/client';

export const api = createClient();

/** The service's address for other programs, from the address of this page. */
export const apiUrl = `${window.location.origin}/api`;
