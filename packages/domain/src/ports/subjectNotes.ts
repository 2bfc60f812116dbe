/** Port to users' notes about subjects. */

/** The subject that a note is about. */
export type NotedSubject = { project: string; kind: string /** Its id. */; subject: string };

export type SubjectNote = NotedSubject & {
  id: string;
  text: string;
  createdAt: number;
  /** A user, who may have been deleted. */
  authorId: string;
  /** The author's name at the time of writing. */
  authorName: string;
  /** null: never. */
  editedAt: number | null;
};

export interface SubjectNotes {
  insert(note: SubjectNote): Promise<void>;
  /** Updates `text` and `editedAt`. */
  update(note: Pick<SubjectNote, 'id' | 'text' | 'editedAt'>): Promise<void>;
  /** Returns false if there was none. */
  remove(id: string): Promise<boolean>;
  find(id: string): Promise<SubjectNote | null>;
  /** Newest first. */
  list(about: NotedSubject): Promise<SubjectNote[]>;
}
