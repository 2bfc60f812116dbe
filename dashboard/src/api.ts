/** The one client of this page. The session cookie speaks for the user. */
import { createClient } from '@tapedeck/client';

export const api = createClient();

/** Where other programs find the service: what this page was loaded from. */
export const apiUrl = `${window.location.origin}/api`;
