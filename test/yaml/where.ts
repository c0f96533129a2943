import { isMainThread } from 'node:worker_threads';

/** A reader that tells where it reads. */
export const where = ({ text }: { text: string }): string => `${text.length} ${isMainThread ? 'here' : 'aside'}`;
