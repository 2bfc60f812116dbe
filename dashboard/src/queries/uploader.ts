/** Tells uploads who is signed in. Pages before sign-in load no code of uploads. */

type Uploads = {
  /** Lets them wait until someone signs in. */
  hold(): void;
  /** Stops and drops all of them. */
  forget(): void;
  /** Resumes the uploads of this user, or drops those of another user. */
  admit(user: string): void;
};

let uploads: Uploads | null = null;
let admitted: string | null = null;

export function connectUploads(loaded: Uploads): void {
  uploads = loaded;
  if (admitted !== null) loaded.admit(admitted);
}

export function holdUploads(): void {
  uploads?.hold();
}

export function forgetUploads(): void {
  uploads?.forget();
}

export function admitUploader(user: string): void {
  admitted = user;
  uploads?.admit(user);
}
