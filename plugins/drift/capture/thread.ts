import { setPriority } from 'node:os';
import { digestsOfMany } from '../facts/digests.ts';
import { historyOf } from './history.ts';

/** Requests and the database go first where processors are few. */
const niceness = 10;

// elsewhere it would be the whole process that steps back
if (process.platform === 'linux') setPriority(niceness);

// what the pool calls
export { digestsOfMany, historyOf };
