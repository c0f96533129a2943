import type { SandboxError } from '@tapline/plugin-sdk';
import type { Work } from './isolate/main.ts';

/** What the child process is asked. */
export interface Question extends Work {
  id: number;
  /** JSON */
  context: string;
  timeoutMs: number;
}

export interface Answer {
  id: number;
  /** JSON; absent when there is an error */
  value?: string;
  error?: { kind: SandboxError['kind']; message: string };
}
