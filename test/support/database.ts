import { cloneDatabase, makeDatabase, type TestDatabase } from '../../core/testing/database.ts';

export type { TestDatabase };

/** A fresh, migrated database of its own for a test file. */
export const createTestDatabase = (): Promise<TestDatabase> => cloneDatabase(serverUrl());

/** A database without any table, for tests of the migrations themselves. */
export const createEmptyDatabase = (): Promise<Pick<TestDatabase, 'url' | 'drop'>> => makeDatabase(serverUrl());

function serverUrl(): string {
  const url = process.env.TEST_DATABASE_URL;
  if (!url)
    throw new Error(
      'TEST_DATABASE_URL is not set: test/support/hooks.ts starts a server and sets it; was mocha started without .mocharc.json?',
    );
  return url;
}
