import { withDatabase } from './with-database.ts';

export async function migrateCommand(): Promise<void> {
  await withDatabase(async ({ applied }) => {
    console.log(applied.length ? `Applied: ${applied.join(', ')}` : 'The database is up to date.');
  });
}
