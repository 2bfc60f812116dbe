/** Notifies the other tabs of this browser when the user changes or signs out. */

const users = new BroadcastChannel('tapedeck-user');

export function announceOtherUser({ isSignedIn }: { isSignedIn: boolean }): void {
  users.postMessage(isSignedIn);
}

export function onOtherUser(react: (isSignedIn: boolean) => void): void {
  users.onmessage = ({ data }) => react(data === true);
}
