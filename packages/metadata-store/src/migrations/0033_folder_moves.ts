/** Adds folder moves, which continue after a restart. */
import type { MetadataMigration } from '../schema.ts';

export const folderMoves: MetadataMigration = {
  version: 33,
  name: 'folder moves',
  apply: async ({ schema }, { text, integer, options }) => {
    await schema
      .createTable('folder_moves')
      .addColumn('id', text, column => column.primaryKey().notNull())
      .addColumn('project', text, column => column.notNull().references('projects.slug'))
      .addColumn('source', text, column => column.notNull())
      .addColumn('target', text, column => column.notNull())
      .addColumn('type', text)
      .addColumn('asker_kind', text, column => column.notNull())
      .addColumn('asker_id', text, column => column.notNull())
      .addColumn('created_at', integer, column => column.notNull())
      .addColumn('total', integer, column => column.notNull())
      .addColumn('moved', integer, column => column.notNull())
      .addColumn('failed', integer, column => column.notNull())
      .addColumn('reasons', text, column => column.notNull())
      .addColumn('tries', integer, column => column.notNull())
      .addColumn('holder', text, column => column.notNull())
      .addColumn('held_until', integer, column => column.notNull())
      .addColumn('ended_at', integer)
      .addColumn('told', integer, column => column.notNull())
      .modifyEnd(options)
      .execute();
    await schema
      .createIndex('folder_moves_by_project')
      .on('folder_moves')
      .columns(['project', 'created_at'])
      .execute();
  },
};
