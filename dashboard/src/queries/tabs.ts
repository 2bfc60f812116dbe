/** Tells the other tabs of this browser that another user, or nobody, is signed in now. */

const users = new BroadcastChannel('tapedeck-user');

export function announceOtherUser(): void {
  users.postMessage(null);
}

export function onOtherUser(react: () => void): void {
  users.onmessage = react;
}
