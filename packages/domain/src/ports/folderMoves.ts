/** Port to folder moves: what moves where, how far it is, and which process works on it. */
import type { MediaType } from '../vocabulary.ts';

export type FolderMove = {
  id: string;
  project: string;
  from: string;
  to: string;
  /** Moves only files of this type; null: all. */
  type: MediaType | null;
  askerKind: 'token' | 'user';
  askerId: string;
  createdAt: number;
  /** Files in the folder when the move began. */
  total: number;
  moved: number;
  failed: number;
  /** Why the first failures happened, or why the move ended early. The API returns only the first reason. */
  reasons: readonly string[];
  /** How many attempts in a row broke off without moving a file. */
  tries: number;
  /** The process that works on it; '' if none does. */
  holder: string;
  heldUntil: number;
  /** null while it is running. */
  endedAt: number | null;
  /** Whether the end of the move has been reported. */
  isTold: boolean;
};

export type MoveClaim = Pick<FolderMove, 'id' | 'holder'>;

export interface FolderMoveRecords {
  insert(move: FolderMove): Promise<void>;
  find(id: string): Promise<FolderMove | null>;
  /** Lists moves of a project, oldest first, including ended ones. */
  list(project: string): Promise<FolderMove[]>;
  /** Lists running moves that no process holds by `now`, oldest first. */
  listDue(now: number, limit: number): Promise<FolderMove[]>;
  /** Returns false if the move has ended or another process holds it beyond `now`, unless a wrong clock has written until when. */
  claim(claim: MoveClaim & Pick<FolderMove, 'heldUntil'>, now: number): Promise<boolean>;
  /** Returns false and changes nothing if the move has ended or the process no longer holds it. */
  change(
    claim: MoveClaim,
    changes: Partial<Pick<FolderMove, 'failed' | 'reasons' | 'tries' | 'holder' | 'heldUntil' | 'endedAt'>>,
  ): Promise<boolean>;
  /** Ends a running move, whoever holds it. From then on its holder moves nothing. */
  end(id: string, end: { endedAt: number; reason: string }): Promise<void>;
  markTold(id: string): Promise<void>;
  /** Removes moves of all projects that ended before the instant. */
  forgetEnded(before: number): Promise<void>;
}
