import { join } from 'node:path';

/** Programs of ours that run beside the engine or within it: wrapper, callback plugin, fact cache. */
export const engineFiles = join(import.meta.dirname, 'engine');
