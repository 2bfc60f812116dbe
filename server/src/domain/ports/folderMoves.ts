/** Port to moves of folders: what moves where, how far it has come, and which process works on it. */
import type { MediaType } from '../../vocabulary.ts';

export type FolderMove = {
  id: string;
  project: string;
  from: string;
  to: string;
  /** Moves files of this type alone; null: all. */
  type: MediaType | null;
  askerKind: 'token' | 'user';
  askerId: string;
  createdAt: number;
  /** Files in the folder when the move began. */
  total: number;
  moved: number;
  /** Files that could not be moved. */
  failed: number;
  /** Why the first of these could not be moved, or why the move ended early; the answer tells the first. */
  reasons: readonly string[];
  /** How often in a row work on it broke off with nothing moved. */
  tries: number;
  /** The process that works on it; '' where none does. */
  holder: string;
  heldUntil: number;
  /** null while it goes on. */
  endedAt: number | null;
  /** Somebody has heard of its end. */
  isTold: boolean;
};

/** Says which process works on which move. */
export type MoveClaim = Pick<FolderMove, 'id' | 'holder'>;

export interface FolderMoveRecords {
  insert(move: FolderMove): Promise<void>;
  find(id: string): Promise<FolderMove | null>;
  /** Lists those of a project, the oldest first, including ended ones. */
  list(project: string): Promise<FolderMove[]>;
  /** Lists those that go on and that nobody holds by now, the oldest first. */
  listDue(now: number, limit: number): Promise<FolderMove[]>;
  /** False when it has ended, or when another process holds it beyond `now`. */
  claim(claim: MoveClaim & Pick<FolderMove, 'heldUntil'>, now: number): Promise<boolean>;
  /** False, with nothing changed, when it has ended, or when the process does not hold it any more. */
  change(
    claim: MoveClaim,
    changes: Partial<Pick<FolderMove, 'failed' | 'reasons' | 'tries' | 'holder' | 'heldUntil' | 'endedAt'>>,
  ): Promise<boolean>;
  /** Ends one that goes on, whoever holds it: from then on, its holder moves nothing. */
  end(id: string, end: { endedAt: number; reason: string }): Promise<void>;
  markTold(id: string): Promise<void>;
  /** Forgets those that ended before, of all projects. */
  forgetEnded(before: number): Promise<void>;
}
